// Copies between the slots of a cache and working states. Blocks in y have a state.
#include "vector.cuh"
#include "sequences.cuh"

template <typename T, int N>
__device__ inline void gather(float* state, const T* cache, i64 slot, i64 each, i64 stride) {
    for (i64 i = ((i64)blockIdx.x * blockDim.x + threadIdx.x) * N; i < each; i += (i64)gridDim.x * blockDim.x * N) {
        if constexpr (N == 1) {
            state[i] = slot < 0 ? 0.0f : widen(cache[slot * stride + i]);
        } else {
            float x[N] = {};
            if (slot >= 0) {
                load_pack(x, cache + slot * stride + i);
            }
            store_pack(state + i, x);
        }
    }
}

template <typename T, int N>
__device__ inline void scatter(T* cache, const float* state, i64 slot, i64 each, i64 stride) {
    for (i64 i = ((i64)blockIdx.x * blockDim.x + threadIdx.x) * N; i < each; i += (i64)gridDim.x * blockDim.x * N) {
        if constexpr (N == 1) {
            store(cache + slot * stride + i, state[i]);
        } else {
            float x[N];
            load_pack(x, state + i);
            store_pack(cache + slot * stride + i, x);
        }
    }
}

#define STATES(T, N)                                                                                                \
    KERNEL gdn_state_gather_##T##_##N(Fault* fault, float* state, const T* cache, const int* slots, i64 count,      \
                                      i64 states, i64 each, i64 stride, int site) {                                 \
        UNLESS_FAILED(fault);                                                                                       \
        for (i64 n = blockIdx.y; n < count; n += gridDim.y) {                                                       \
            if (turns(fault, slots, count, states, n, site).wrong != ~0ull) {                                       \
                return;                                                                                             \
            }                                                                                                       \
            gather<T, N>(state + n * each, cache, slots[n], each, stride);                                          \
        }                                                                                                           \
    }                                                                                                               \
    KERNEL gdn_state_scatter_##T##_##N(Fault* fault, T* cache, const float* state, const int* slots, i64 count,     \
                                       i64 states, i64 each, i64 stride, int site) {                                \
        UNLESS_FAILED(fault);                                                                                       \
        for (i64 n = blockIdx.y; n < count; n += gridDim.y) {                                                       \
            Turns t = turns(fault, slots, count, states, n, site);                                                  \
            if (t.wrong != ~0ull) {                                                                                 \
                return;                                                                                             \
            }                                                                                                       \
            /* Of equal slots the last one counts. */                                                               \
            if (slots[n] >= 0 && t.next == ~0ull) {                                                                 \
                scatter<T, N>(cache, state + n * each, slots[n], each, stride);                                     \
            }                                                                                                       \
        }                                                                                                           \
    }

STATES(f32, 1)
STATES(f32, 4)
STATES(bf16, 1)
STATES(bf16, 4)
