// Softmax of rows and its logarithm. A row with a NaN, a positive infinity or nothing but negative infinities becomes NaN.
#include "vector.cuh"
#include "rank.cuh"

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
        m.sum += expf(x[i] - base);
    }
}

// That of all threads of a block; every thread gets it.
__device__ inline Mass block_mass(Mass m) {
    float top = block_max(m.top);
    return {top, (float)block_sum((double)(m.sum * rescale(m.top, top)))};
}

template <int N>
__device__ inline void finish(float* out, const float (&x)[N], Mass m, int log) {
    float y[N];
    float by = log ? logf(m.sum) : 1.0f / m.sum;
#pragma unroll
    for (int i = 0; i < N; i++) {
        float d = x[i] - m.top;
        y[i] = log ? d - by : expf(d) * by;
    }
    store_pack(out, y);
}

// One element goes like many.
__device__ inline void load_pack(float (&x)[1], const float* p) {
    x[0] = *p;
}

__device__ inline void store_pack(float* p, const float (&x)[1]) {
    *p = x[0];
}

// Loads under way in each thread at once.
const int AHEAD = 4;

// A thread's share of n elements, kept beside where there is room for it.
template <int N>
__device__ inline Mass mass_of(const float* x, i64 n, float* kept) {
    Mass m = {minus_infinity(), 0};
    i64 step = (i64)blockDim.x * N;
    i64 i = (i64)threadIdx.x * N;
    for (; i + (AHEAD - 1) * step < n; i += AHEAD * step) {
        float a[AHEAD * N];
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            load_pack((float (&)[N])a[j * N], x + i + j * step);
        }
        if (kept) {
#pragma unroll
            for (int j = 0; j < AHEAD; j++) {
                store_pack(kept + i + j * step, (const float (&)[N])a[j * N]);
            }
        }
        take(m, a);
    }
    for (; i < n; i += step) {
        float a[N];
        load_pack(a, x + i);
        if (kept) {
            store_pack(kept + i, a);
        }
        take(m, a);
    }
    return m;
}

template <int N>
__device__ inline void write(float* out, const float* x, i64 n, Mass m, int log) {
    i64 step = (i64)blockDim.x * N;
    i64 i = (i64)threadIdx.x * N;
    for (; i + (AHEAD - 1) * step < n; i += AHEAD * step) {
        float a[AHEAD][N];
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            load_pack(a[j], x + i + j * step);
        }
#pragma unroll
        for (int j = 0; j < AHEAD; j++) {
            finish(out + i + j * step, a[j], m, log);
        }
    }
    for (; i < n; i += step) {
        float a[N];
        load_pack(a, x + i);
        finish(out + i, a, m, log);
    }
}

// A block a row, which is read once and kept in shared memory.
template <int N>
__device__ inline void softmax_row(float* out, const float* x, i64 n, int log, float* kept) {
    x += blockIdx.x * n;
    out += blockIdx.x * n;
    Mass m = block_mass(mass_of<N>(x, n, kept));
    write<N>(out, kept, n, m, log);
}

// Long rows in two launches. The first leaves what each part of a row has to give in the output, once for each part,
// at that part's start: so the second one, which overwrites it, needs nobody else's.
template <int N>
__device__ inline void softmax_parts(float* out, const float* x, i64 n, i64 length) {
    i64 row = blockIdx.y * n;
    i64 from = blockIdx.x * length;
    i64 here = n - from < length ? n - from : length;
    Mass m = block_mass(mass_of<N>(x + row + from, here, (float*)0));
    if (threadIdx.x < gridDim.x) {
        float* at = out + row + threadIdx.x * length + 2 * blockIdx.x;
        at[0] = m.top;
        at[1] = m.sum;
    }
}

template <int N>
__device__ inline void softmax_rest(float* out, const float* x, i64 n, i64 length, int log) {
    i64 at = blockIdx.y * n + blockIdx.x * length;
    i64 here = n - blockIdx.x * length;
    here = here < length ? here : length;
    Mass m = {minus_infinity(), 0};
    int lane = threadIdx.x & 31;
    if (lane < gridDim.x) {
        m.top = out[at + 2 * lane];
        m.sum = out[at + 2 * lane + 1];
    }
    float top = m.top;
    for (int d = 16; d > 0; d >>= 1) {
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    }
    double sum = (double)(m.sum * rescale(m.top, top));
    for (int d = 16; d > 0; d >>= 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    }
    __syncthreads();
    write<N>(out + at, x + at, here, {top, (float)sum}, log);
}

#define SOFTMAX(N)                                                                                            \
    KERNEL __launch_bounds__(1024) softmax_row_##N(Fault* fault, float* out, const float* x, i64 n, int log) {                        \
        UNLESS_FAILED(fault);                                                                                 \
        DYNAMIC_SHARED(memory);                                                                               \
        softmax_row<N>(out, x, n, log, (float*)memory);                                                       \
    }                                                                                                         \
    KERNEL __launch_bounds__(1024) softmax_parts_##N(Fault* fault, float* out, const float* x, i64 n, i64 length) {                   \
        UNLESS_FAILED(fault);                                                                                 \
        softmax_parts<N>(out, x, n, length);                                                                  \
    }                                                                                                         \
    KERNEL __launch_bounds__(1024) softmax_rest_##N(Fault* fault, float* out, const float* x, i64 n, i64 length, int log) {           \
        UNLESS_FAILED(fault);                                                                                 \
        softmax_rest<N>(out, x, n, length, log);                                                              \
    }

SOFTMAX(1)
SOFTMAX(4)
