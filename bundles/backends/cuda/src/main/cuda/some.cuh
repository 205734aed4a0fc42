// N elements of an operand whose type is an argument: one, or an even number at once.
#include "vector.cuh"

template <int N>
__device__ inline void fetch(float (&x)[N], const void* p, int type, i64 i) {
    if constexpr (N == 1) {
        x[0] = load(p, type, i);
    } else {
        load_pack(x, p, type, i);
    }
}

template <int N>
__device__ inline void put(void* p, int type, i64 i, const float (&x)[N]) {
    if constexpr (N == 1) {
        save(p, type, i, x[0]);
    } else {
        store_pack(p, type, i, x);
    }
}
