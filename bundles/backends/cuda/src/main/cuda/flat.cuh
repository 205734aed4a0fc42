// Kernels that go over elements without regard to what a neighbour holds: packs of up to 16 bytes, several on their way at once.

#include "vector.cuh"

// Elements of a pack of one type that becomes another.
template <typename In, typename Out>
constexpr int PACK = 16 / (int)(sizeof(In) > sizeof(Out) ? sizeof(In) : sizeof(Out));

// Where an index of a pack lies in rows of so many packs; short where the numbers are.
struct Cell {
    i64 row;
    i64 col;
};

__device__ inline Cell cell(i64 i, i64 cols) {
    if ((i | cols) >> 32) {
        return {i / cols, i % cols};
    }
    u32 row = (u32)i / (u32)cols;
    return {row, (u32)i - row * (u32)cols};
}

// How many packs a thread has on their way at once.
#define AT_ONCE 2

// Packs i, i + step, ... of n, over the whole grid. A body has a type Loaded, a load(i) and a finish(i, loaded).
template <typename Body>
__device__ inline void over_packs(i64 n, const Body& body) {
    i64 step = (i64)gridDim.x * blockDim.x;
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += AT_ONCE * step) {
        typename Body::Loaded loaded[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            loaded[u] = body.load(i + u * step < n ? i + u * step : i);
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            if (i + u * step < n) {
                body.finish(i + u * step, loaded[u]);
            }
        }
    }
}
