// Rows with a sum over each. A row is cut into units of 8 elements, which go to its lanes in turn; how many lanes a row has
// depends on its length alone. So every kernel adds in the same order, and a sum has the same bits wherever it is made.

#include "vector.cuh"

#define UNIT 8

// Units that a lane keeps in registers.
#define KEPT 4

// Which row a thread works on, as which of its lanes. Rows of up to 32 lanes share a block.
struct Lane {
    i64 row;
    int at;
    int of;
};

__device__ inline Lane lane_of_row(int lanes) {
    if (lanes > 32) {
        return {(i64)blockIdx.x, (int)threadIdx.x, lanes};
    }
    int rows = blockDim.x / lanes;
    return {(i64)blockIdx.x * rows + threadIdx.x / lanes, (int)threadIdx.x % lanes, lanes};
}

// The sum over the lanes of each row; every lane gets it. All threads of the block come here; a kernel that comes twice gives
// each place a number, since warps that are behind still read.
template <int PLACE>
__device__ inline double row_sum(double x, int lanes) {
    __shared__ double parts[16];
    for (int d = (lanes < 32 ? lanes : 32) >> 1; d > 0; d >>= 1) {
        x += __shfl_xor_sync(0xffffffffu, x, d);
    }
    if (lanes <= 32) {
        return x;
    }
    if (threadIdx.x % 32 == 0) {
        parts[threadIdx.x / 32] = x;
    }
    __syncthreads();
    int part = threadIdx.x % 16;
    x = part < lanes / 32 ? parts[part] : 0;
#pragma unroll
    for (int d = 8; d > 0; d >>= 1) {
        x += __shfl_xor_sync(0xffffffffu, x, d);
    }
    return x;
}

__device__ inline bool plain(float sum) {
    return sum > 1e-20f && sum < 1e30f;
}

// The squares of a unit: in f32, unless they leave its range.
__device__ inline double squares(const float (&v)[UNIT]) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
        sum = fmaf(v[k], v[k], sum);
    }
    if (plain(sum)) {
        return sum;
    }
    double wide = 0;
    for (int k = 0; k < UNIT; k++) {
        wide += (double)v[k] * v[k];
    }
    return wide;
}

// What a row is multiplied with: 1 / sqrt(mean), whose digits are those of f32; in double where f32 has no such number.
__device__ inline float inverse_root(double mean) {
    float m = (float)mean;
    if (m > 1e-30f && m < 1e30f) {
        float r = rsqrtf(m);
        return fmaf(0.5f * r, fmaf(-m * r, r, 1.0f), r);
    }
    return (float)rsqrt(mean);
}

// A unit of which only some elements may exist, the rest being 0, at any address.
template <typename T>
__device__ inline void load_some(float (&v)[UNIT], const T* p, i64 left) {
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
        v[k] = k < left ? widen(p[k]) : 0;
    }
}

__device__ inline void load_some(float (&v)[UNIT], const void* p, int dtype, i64 i, i64 left) {
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
        v[k] = k < left ? load(p, dtype, i + k) : 0;
    }
}

template <typename T>
__device__ inline void store_some(T* p, const float (&v)[UNIT], i64 left) {
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
        if (k < left) {
            store(p + k, v[k]);
        }
    }
}

// v rounded to a type.
template <typename T>
__device__ inline void round_to(float (&v)[UNIT], T type) {
    widen(v, narrow(v, type), type);
}
