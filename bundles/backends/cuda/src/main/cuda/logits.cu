// Changes of logits in place. Blocks in y go over rows, those in x over the columns of a row.
#include "rank.cuh"
#include "team.cuh"

#define OVER_ROWS(row, rows) for (i64 row = blockIdx.y; row < (rows); row += gridDim.y)
#define OVER_COLS(col, n, width) \
    for (i64 col = ((i64)blockIdx.x * blockDim.x + threadIdx.x) * (width), \
             next = (i64)gridDim.x * blockDim.x * (width); col < (n); col += next)

template <int N>
__device__ inline void temper(float* x, float divisor) {
    Pack<f32, N> p = load_words<4 * N>(x);
#pragma unroll
    for (int i = 0; i < N; i++) {
        p.w[i] = __float_as_uint(__uint_as_float(p.w[i]) / divisor);
    }
    store_words<4 * N>(x, p);
}

#define TEMPERATURE(N)                                                                                       \
    KERNEL apply_temperature_##N(Fault* fault, float* logits, const float* temperature, i64 rows, i64 n,     \
                                 int all_random) {                                                           \
        UNLESS_FAILED(fault);                                                                                \
        OVER_ROWS(row, rows) {                                                                               \
            float t = temperature[row];                                                                      \
            if ((t < 1e-5f && !all_random) || t == 1.0f) {                                                   \
                continue;                                                                                    \
            }                                                                                                \
            OVER_COLS(col, n, N) {                                                                           \
                temper<N>(logits + row * n + col, t);                                                        \
            }                                                                                                \
        }                                                                                                    \
    }

TEMPERATURE(1)
TEMPERATURE(4)

__device__ inline float penalised(float x, bool known, int count, float repeat, float often, float once) {
    float y = known ? (x > 0 ? x / repeat : x * repeat) : x;
    return count > 0 ? y - often * count - once : y;
}

// Masks are bytes: N of them at once.
template <int N>
__device__ inline void penalise(float* x, const signed char* prompt, const signed char* output, const int* counts,
                                float repeat, float often, float once) {
    Pack<f32, N> p = load_words<4 * N>(x);
    u32 known = load_words<N>(prompt).w[0] | load_words<N>(output).w[0];
    Words<4 * N> count = load_words<4 * N>(counts);
#pragma unroll
    for (int i = 0; i < N; i++) {
        float y = penalised(__uint_as_float(p.w[i]), (known >> 8 * i & 255) != 0, (int)count.w[i], repeat, often, once);
        p.w[i] = __float_as_uint(y);
    }
    store_words<4 * N>(x, p);
}

#define PENALTIES(N)                                                                                          \
    KERNEL apply_penalties_##N(Fault* fault, float* logits, const signed char* prompt, const signed char* output, \
                               const int* counts, const float* repetition, const float* frequency,            \
                               const float* presence, i64 rows, i64 n) {                                      \
        UNLESS_FAILED(fault);                                                                                 \
        OVER_ROWS(row, rows) {                                                                                \
            OVER_COLS(col, n, N) {                                                                            \
                i64 at = row * n + col;                                                                       \
                penalise<N>(logits + at, prompt + at, output + at, counts + at, repetition[row], frequency[row], \
                            presence[row]);                                                                   \
            }                                                                                                 \
        }                                                                                                     \
    }

PENALTIES(1)
PENALTIES(4)

// Reads the mask alone, and writes only what it excludes.
KERNEL apply_allowed_token_ids_1(Fault* fault, float* logits, const signed char* mask, i64 n) {
    UNLESS_FAILED(fault);
    OVER_GRID(i, n) {
        if (mask[i] != 0) {
            logits[i] = minus_infinity();
        }
    }
}

// Four at a time; n is a multiple. Where all four are excluded or none is, their logits are not read.
KERNEL apply_allowed_token_ids_4(Fault* fault, float* logits, const signed char* mask, i64 n) {
    UNLESS_FAILED(fault);
    OVER_GRID(i, n / 4) {
        u32 four = load_words<4>(mask + 4 * i).w[0];
        if (four == 0) {
            continue;
        }
        Words<16> x = {};
        if (((four - 0x01010101u) & ~four & 0x80808080u) != 0) {
            x = load_words<16>(logits + 4 * i);
        }
#pragma unroll
        for (int b = 0; b < 4; b++) {
            x.w[b] = four >> 8 * b & 255 ? 0xff800000u : x.w[b];
        }
        store_words<16>(logits + 4 * i, x);
    }
}

// A probability over the largest one is exp(logit - largest logit), so no sum is needed. A team a row. A row whose
// probabilities are not defined is left as it is.
template <int N>
__device__ inline void cut(float* at, const float (&x)[N], float top, float bound) {
    float y[N];
    bool any = false;
#pragma unroll
    for (int i = 0; i < N; i++) {
        bool below = expf(x[i] - top) < bound;
        y[i] = below ? minus_infinity() : x[i];
        any |= below;
    }
    if (any) {
        put(at, y);
    }
}

template <int N>
__device__ inline float highest(float top, const float (&x)[N]) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        top = x[i] != x[i] ? __uint_as_float(0x7f800000u) : fmaxf(top, x[i]);
    }
    return top;
}

template <int N>
__device__ inline void min_p(Fault* fault, float* x, i64 n, float bound) {
    team_arrive<MEMBERS>();
    Part part = part_of<MEMBERS>(n);
    x += part.from;
    Held<N, HELD> held;
    held.load(x, part.n);
    bool failed = fault->flag != 0;
    float top = highest(minus_infinity(), held.x);
    for (i64 i = held.end(); i < part.n; i += (i64)blockDim.x * N) {
        float a[N];
        get(a, x + i);
        top = highest(top, a);
    }
    float all[MEMBERS];
    top = block_max(top);
    team_wait<MEMBERS>();
    share<MEMBERS>(all, top, 0);
    top = highest(top, all);
    if (failed || !finite(top)) {
        return;
    }
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        if (held.at(k) < part.n) {
            cut(x + held.at(k), (const float (&)[N])held.x[k * N], top, bound);
        }
    }
    for (i64 i = held.end(); i < part.n; i += (i64)blockDim.x * N) {
        float a[N];
        get(a, x + i);
        cut(x + i, a, top, bound);
    }
}

#define MIN_P(N)                                                                                     \
    TEAM_KERNEL(512, 2) apply_min_p_##N(Fault* fault, float* logits, const float* bounds, i64 n) {   \
        i64 row = blockIdx.x / TEAM;                                                                 \
        if (!idle()) {                                                                               \
            min_p<N>(fault, logits + row * n, n, bounds[row]);                                       \
        }                                                                                            \
    }

MIN_P(1)
MIN_P(4)
