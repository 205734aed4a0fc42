// Changes of logits in place. Blocks in y go over rows, those in x over the columns of a row.
#include "vector.cuh"
#include "rank.cuh"

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

// Sixteen at a time; n is a multiple.
KERNEL apply_allowed_token_ids_16(Fault* fault, float* logits, const signed char* mask, i64 n) {
    UNLESS_FAILED(fault);
    OVER_GRID(i, n / 16) {
        Words<16> bytes = load_words<16>(mask + 16 * i);
        Words<16> all = {{0xff800000u, 0xff800000u, 0xff800000u, 0xff800000u}};
#pragma unroll
        for (int j = 0; j < 4; j++) {
            float* x = logits + 16 * i + 4 * j;
            u32 four = bytes.w[j];
            u32 zero = (four - 0x01010101u) & ~four & 0x80808080u;
            if (four != 0 && zero == 0) {
                store_words<16>(x, all);
            } else if (four != 0) {
#pragma unroll
                for (int b = 0; b < 4; b++) {
                    if (four >> 8 * b & 255) {
                        x[b] = minus_infinity();
                    }
                }
            }
        }
    }
}

// A probability over the largest one is exp(logit - largest logit), so no sum is needed. A block a row. A row whose
// probabilities are not defined is left as it is.
template <int N>
__device__ inline void min_p(float* x, i64 n, float bound) {
    float top = minus_infinity();
    bool nan = false;
    for (i64 i = (i64)threadIdx.x * N; i < n; i += (i64)blockDim.x * N) {
        Pack<f32, N> p = load_words<4 * N>(x + i);
#pragma unroll
        for (int j = 0; j < N; j++) {
            float v = __uint_as_float(p.w[j]);
            top = fmaxf(top, v);
            nan |= v != v;
        }
    }
    top = block_max(nan ? __uint_as_float(0x7f800000u) : top);
    if (!finite(top)) {
        return;
    }
    for (i64 i = (i64)threadIdx.x * N; i < n; i += (i64)blockDim.x * N) {
        Pack<f32, N> p = load_words<4 * N>(x + i);
#pragma unroll
        for (int j = 0; j < N; j++) {
            p.w[j] = expf(__uint_as_float(p.w[j]) - top) < bound ? 0xff800000u : p.w[j];
        }
        store_words<4 * N>(x + i, p);
    }
}

#define MIN_P(N)                                                                        \
    KERNEL __launch_bounds__(1024) apply_min_p_##N(Fault* fault, float* logits, const float* bounds, i64 n) {   \
        UNLESS_FAILED(fault);                                                           \
        min_p<N>(logits + blockIdx.x * n, n, bounds[blockIdx.x]);                       \
    }

MIN_P(1)
MIN_P(4)
