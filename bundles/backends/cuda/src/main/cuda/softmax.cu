// Softmax of rows and its logarithm. A row with a NaN, a positive infinity or nothing but negative infinities becomes NaN.
#include "vector.cuh"
#include "rank.cuh"
#include "team.cuh"

// exp(x), off by no more than the rounding of x changes it; what is below the normal numbers becomes 0.
__device__ inline float power(float x) {
    float y = x * 1.4426950408889634f;
#ifdef VT_ON_HOST
    return exp2f(y);
#else
    float r;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(y));
    return r;
#endif
}

// The sum of exp(x - top) over some elements, where top is the largest of them, or 0 where that is -infinity.
struct Mass {
    float top;
    float sum;
};

// What the sum is multiplied with when the largest element is another one.
__device__ inline float rescale(float top, float to) {
    return top == minus_infinity() ? 1.0f : expf(top - to);
}

template <int N>
__device__ inline void take(Mass& m, const float (&x)[N]) {
    float top = m.top;
#pragma unroll
    for (int i = 0; i < N; i++) {
        top = fmaxf(top, x[i]);
    }
    if (top > m.top) {
        m.sum *= rescale(m.top, top);
        m.top = top;
    }
    float base = top == minus_infinity() ? 0.0f : top;
#pragma unroll
    for (int i = 0; i < N; i++) {
        m.sum += power(x[i] - base);
    }
}

// That of all threads of a block; every thread gets it.
__device__ inline Mass block_mass(Mass m) {
    float top = block_max(m.top);
    return {top, (float)block_sum((double)(m.sum * rescale(m.top, top)))};
}

template <int N>
__device__ inline void finish(float* out, const float (&x)[N], Mass m, float by, int log) {
    float y[N];
#pragma unroll
    for (int i = 0; i < N; i++) {
        float d = x[i] - m.top;
        y[i] = log ? d - by : power(d) * by;
    }
    put(out, y);
}

// A short row: a block has it, reads it once and keeps it in shared memory.
template <int N>
__device__ inline void softmax_row(float* out, const float* x, i64 n, int log, float* kept) {
    x += blockIdx.x * n;
    out += blockIdx.x * n;
    Mass m = {minus_infinity(), 0};
    for (i64 i = (i64)threadIdx.x * N; i < n; i += (i64)blockDim.x * N) {
        float a[N];
        get(a, x + i);
        put(kept + i, a);
        take(m, a);
    }
    m = block_mass(m);
    float by = log ? logf(m.sum) : 1.0f / m.sum;
    for (i64 i = (i64)threadIdx.x * N; i < n; i += (i64)blockDim.x * N) {
        float a[N];
        get(a, kept + i);
        finish(out + i, a, m, by, log);
    }
}

// A long row: a team has it. What does not fit in registers is read again.
template <int N>
__device__ inline void softmax_team(Fault* fault, float* out, const float* x, i64 n, int log) {
    team_arrive<MEMBERS>();
    Part part = part_of<MEMBERS>(n);
    x += blockIdx.x / TEAM * n + part.from;
    out += blockIdx.x / TEAM * n + part.from;
    Held<N, HELD> held;
    held.load(x, part.n);
    bool failed = fault->flag != 0;
    Mass m = {minus_infinity(), 0};
    take(m, held.x);
    for (i64 i = held.end(); i < part.n; i += (i64)blockDim.x * N) {
        float a[N];
        get(a, x + i);
        take(m, a);
    }
    m = block_mass(m);
    Mass all[MEMBERS];
    team_wait<MEMBERS>();
    share<MEMBERS>(all, m, 0);
    m = {minus_infinity(), 0};
    for (int i = 0; i < MEMBERS; i++) {
        m.top = fmaxf(m.top, all[i].top);
    }
    for (int i = 0; i < MEMBERS; i++) {
        m.sum += all[i].sum * rescale(all[i].top, m.top);
    }
    float by = log ? logf(m.sum) : 1.0f / m.sum;
    if (failed) {
        return;
    }
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        if (held.at(k) < part.n) {
            finish(out + held.at(k), (const float (&)[N])held.x[k * N], m, by, log);
        }
    }
    for (i64 i = held.end(); i < part.n; i += (i64)blockDim.x * N) {
        float a[N];
        get(a, x + i);
        finish(out + i, a, m, by, log);
    }
}

#define SOFTMAX(N)                                                                                              \
    KERNEL __launch_bounds__(1024) softmax_row_##N(Fault* fault, float* out, const float* x, i64 n, int log) {  \
        UNLESS_FAILED(fault);                                                                                   \
        DYNAMIC_SHARED(memory);                                                                                 \
        softmax_row<N>(out, x, n, log, (float*)memory);                                                         \
    }                                                                                                           \
    TEAM_KERNEL(512, 2) softmax_team_##N(Fault* fault, float* out, const float* x, i64 n, int log) {            \
        if (!idle()) {                                                                                 \
            softmax_team<N>(fault, out, x, n, log);                                                             \
        }                                                                                                       \
    }

SOFTMAX(1)
SOFTMAX(4)
