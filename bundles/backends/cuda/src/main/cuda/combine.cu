// Weighted sums of what experts gave, in the order of the experts, then the shared term. A thread has some columns of a
// token; blocks in y go over tokens.
#include "vector.cuh"
#include "activation.cuh"

template <typename T>
__device__ inline void load_columns(float (&x)[1], const T* p) {
    x[0] = widen(*p);
}

template <typename T, int N>
__device__ inline void load_columns(float (&x)[N], const T* p) {
    load_pack(x, p);
}

template <typename T>
__device__ inline void store_columns(T* p, const float (&x)[1]) {
    store(p, x[0]);
}

template <typename T, int N>
__device__ inline void store_columns(T* p, const float (&x)[N]) {
    store_pack(p, x);
}

__device__ inline void load_columns(float (&x)[1], const void* p, int dtype, i64 i) {
    x[0] = load(p, dtype, i);
}

template <int N>
__device__ inline void load_columns(float (&x)[N], const void* p, int dtype, i64 i) {
    load_pack(x, p, dtype, i);
}

template <int N, typename IN>
__device__ inline void weighted(float (&sum)[N], const IN* experts, const float* weights, i64 k, i64 h) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        sum[i] = 0;
    }
#pragma unroll 4
    for (i64 j = 0; j < k; j++) {
        float x[N];
        load_columns(x, experts + j * h);
        float w = weights[j];
#pragma unroll
        for (int i = 0; i < N; i++) {
            sum[i] += w * x[i];
        }
    }
}

// The shared term, if there is one; with a gate, scaled by its sigmoid and rounded to bf16.
template <int N>
__device__ inline void add_shared(float (&sum)[N], const void* shared, int type, i64 at, const float* gate) {
    if (!shared) {
        return;
    }
    float x[N];
    load_columns(x, shared, type, at);
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (gate) {
            bf16 rounded;
            store(&rounded, sigmoid_gated(x[i], *gate));
            x[i] = widen(rounded);
        }
        sum[i] += x[i];
    }
}

#define COMBINE(IN, OUT, N)                                                                                      \
    KERNEL moe_combine_##N##_##IN##_##OUT(Fault* fault, OUT* out, const IN* experts, const float* weights,       \
                                          const void* shared, int type, const float* gates, i64 tokens, i64 k,   \
                                          i64 h) {                                                               \
        UNLESS_FAILED(fault);                                                                                    \
        i64 col = ((i64)blockIdx.x * blockDim.x + threadIdx.x) * N;                                              \
        if (col >= h) {                                                                                          \
            return;                                                                                              \
        }                                                                                                        \
        for (i64 t = blockIdx.y; t < tokens; t += gridDim.y) {                                                   \
            float sum[N];                                                                                        \
            weighted(sum, experts + t * k * h + col, weights + t * k, k, h);                                     \
            add_shared(sum, shared, type, t * h + col, gates ? gates + t : nullptr);                             \
            store_columns(out + t * h + col, sum);                                                               \
        }                                                                                                        \
    }

#define COMBINE_ONE(IN, OUT) COMBINE(IN, OUT, 1)
#define COMBINE_EIGHT(IN, OUT) COMBINE(IN, OUT, 8)

FOR_ALL_TYPES(COMBINE_ONE)
FOR_ALL_TYPES(COMBINE_EIGHT)
