// The order of floats as that of integers, and what a block knows of all its threads.

__device__ inline float minus_infinity() {
    return __uint_as_float(0xff800000u);
}

__device__ inline bool finite(float x) {
    return (__float_as_uint(x) & 0x7f800000u) != 0x7f800000u;
}

// Grows with the number; both zeros are one, and a NaN is above all.
__device__ inline u32 rank_of(float x) {
    u32 bits = __float_as_uint(x + 0.0f);
    return x != x ? 0xffffffffu : (bits >> 31 ? ~bits : bits | 0x80000000u);
}

// A number of a rank.
__device__ inline float value_of(u32 rank) {
    return __uint_as_float(rank >> 31 ? rank & 0x7fffffffu : ~rank);
}

// Grows with the rank, and among equal ones towards the lower index: no two elements of a row have the same place.
__device__ inline u64 place_of(float x, u32 index) {
    return (u64)rank_of(x) << 32 | (u32)~index;
}

__device__ inline u32 index_of(u64 place) {
    return ~(u32)place;
}

// The largest of a warp; every lane gets it.
__device__ inline u64 warp_max(u64 x) {
    for (int d = 16; d > 0; d >>= 1) {
        u64 other = __shfl_xor_sync(0xffffffffu, x, d);
        x = other > x ? other : x;
    }
    return x;
}

// The largest of a block of a multiple of 32 threads; every thread gets it.
__device__ inline u64 block_max(u64 x) {
    __shared__ u64 parts[32];
    x = warp_max(x);
    if ((threadIdx.x & 31) == 0) {
        parts[threadIdx.x >> 5] = x;
    }
    __syncthreads();
    int warps = blockDim.x >> 5;
    for (int w = 0; w < warps; w++) {
        x = parts[w] > x ? parts[w] : x;
    }
    __syncthreads();
    return x;
}

// The same for floats; a NaN counts only where there is nothing else.
__device__ inline float block_max(float x) {
    __shared__ float parts[32];
    for (int d = 16; d > 0; d >>= 1) {
        x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, d));
    }
    if ((threadIdx.x & 31) == 0) {
        parts[threadIdx.x >> 5] = x;
    }
    __syncthreads();
    int warps = blockDim.x >> 5;
    for (int w = 0; w < warps; w++) {
        x = fmaxf(x, parts[w]);
    }
    __syncthreads();
    return x;
}
