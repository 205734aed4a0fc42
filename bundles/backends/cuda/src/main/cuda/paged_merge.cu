// Makes the output of paged attention of what the parts of the work have left: a block of threads a row and head.
#include "some.cuh"
#include "paged.cuh"

#define MERGE_THREADS 256
#define MOST_PARTS 128

// What each part's values are to be multiplied by. The result is the number of parts that have any; below 0 a mark instead.
__device__ inline int part_factors(const Parts& parts, i64 head, float* factors) {
    __shared__ float tops[MOST_PARTS];
    __shared__ float sums[MOST_PARTS];
    int i = threadIdx.x;
    if (i < parts.count) {
        tops[i] = parts.stats[2 * (head * parts.count + i)];
        sums[i] = parts.stats[2 * (head * parts.count + i) + 1];
    }
    __syncthreads();
    if (sums[0] == NOBODY || sums[0] == NOTHING) {
        return (int)sums[0];
    }
    float top = MINUS_INFINITY;
    int live = 0;
    for (int p = 0; p < parts.count; p++) {
        top = fmaxf(top, tops[p]);
        live = sums[p] == 0 ? live : p + 1;
    }
    if (i < parts.count) {
        factors[i] = weight(tops[i], top);
    }
    __syncthreads();
    float sum = 0;
    for (int p = 0; p < live; p++) {
        sum += sums[p] * factors[p];
    }
    __syncthreads();
    if (i < live) {
        factors[i] = factors[i] / sum;
    }
    __syncthreads();
    return live;
}

// The sum of the weights of all parts, and the exponent that they are relative to, as the natural logarithm of the sum of exp(score).
__device__ inline float log_of_parts(const Parts& parts, i64 head, int live) {
    float top = MINUS_INFINITY;
    float sum = 0;
    for (int p = 0; p < live; p++) {
        top = fmaxf(top, parts.stats[2 * (head * parts.count + p)]);
    }
    for (int p = 0; p < live; p++) {
        sum += parts.stats[2 * (head * parts.count + p) + 1] * weight(parts.stats[2 * (head * parts.count + p)], top);
    }
    return live > 0 ? (top + log2f(sum)) * 0.69314718055994530942f : MINUS_INFINITY;
}

// Threads lie in rows of columns, N columns each; row y takes the parts y, y + rows, ... in this order, and then the rows' sums are
// added in order.
template <int N>
__device__ inline void merge_columns(void* out, int type, const Parts& parts, i64 head, const float* factors, int live, int from) {
    __shared__ float sums[MERGE_THREADS][N];
    int columns = min(MERGE_THREADS, (parts.dim - from) / N);
    int rows = MERGE_THREADS / columns;
    int y = threadIdx.x / columns;
    int c = from + threadIdx.x % columns * N;
    float x[N] = {};
    if (y < rows) {
#pragma unroll 8
        for (int p = y; p < live; p += rows) {
            float v[N];
            if constexpr (N == 1) {
                v[0] = parts.values(head, p)[c];
            } else {
                load_pack(v, parts.values(head, p) + c);
            }
#pragma unroll
            for (int j = 0; j < N; j++) {
                x[j] += v[j] * factors[p];
            }
        }
    }
#pragma unroll
    for (int j = 0; j < N; j++) {
        sums[threadIdx.x][j] = x[j];
    }
    __syncthreads();
    if (y == 0) {
        for (int r = 1; r < rows; r++) {
#pragma unroll
            for (int j = 0; j < N; j++) {
                x[j] += sums[r * columns + threadIdx.x][j];
            }
        }
        // No weight at all, though there were scores: they were minus infinity.
        if (live == 0) {
#pragma unroll
            for (int j = 0; j < N; j++) {
                x[j] = __int_as_float(0x7fc00000);
            }
        }
        put<N>(out, type, head * parts.dim + c, x);
    }
    __syncthreads();
}

template <int N>
__device__ inline void merge(void* out, int type, float* lse, const Parts& parts, i64 head) {
    __shared__ float factors[MOST_PARTS];
    int live = part_factors(parts, head, factors);
    if (live == (int)NOBODY) {
        return;
    }
    if (lse && threadIdx.x == 0) {
        lse[head] = log_of_parts(parts, head, live);
    }
    if (live == (int)NOTHING) {
        for (int c = threadIdx.x; c < parts.dim; c += MERGE_THREADS) {
            save(out, type, head * parts.dim + c, 0);
        }
        return;
    }
    for (int from = 0; from < parts.dim; from += MERGE_THREADS * N) {
        merge_columns<N>(out, type, parts, head, factors, live, from);
    }
}

#define PAGED_MERGE(N)                                                                                                  \
    KERNEL paged_merge_##N(Fault* fault, void* out, int type, float* lse, float* memory, i64 rows, int heads, int count, \
                           int dim) {                                                                                   \
        UNLESS_FAILED(fault);                                                                                           \
        Parts parts(memory, rows, heads, count, dim);                                                                   \
        merge<N>(out, type, lse, parts, blockIdx.x);                                                                    \
    }

PAGED_MERGE(1)
PAGED_MERGE(4)
