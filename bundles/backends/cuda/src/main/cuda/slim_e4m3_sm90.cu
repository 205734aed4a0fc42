// Products of e4m3 with few rows of a, b as [N,K]: b becomes f16 on its way to the matrix units, exactly; a has become f16 before, with
// each 16 elements of K in the order in which a thread finds its part of b.

#include "slim.cuh"

#define WIDE_PRODUCT(SHAPE, LIST, REGS, A0, A1, A2, A3, RIGHT, SUM)                                                   \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " SUM ", 0;\nwgmma.mma_async.sync.aligned." SHAPE ".f32.f16.f16 {"  \
                 LIST "}, {" A0 ", " A1 ", " A2 ", " A3 "}, " RIGHT ", p, 1, 1, 0;\n}"                                  \
                 : REGS : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "l"(right), "r"(sum))

// d (64 by twice as many as a thread has) = left * right, plus d where sum is not 0; left lies in registers.
__device__ inline void wide_product(float (&d)[4], const u32 (&left)[4], u64 right, int sum) {
    WIDE_PRODUCT("m64n8k16", LIST4, REGS4(0), "%4", "%5", "%6", "%7", "%8", "%9");
}

__device__ inline void wide_product(float (&d)[8], const u32 (&left)[4], u64 right, int sum) {
    WIDE_PRODUCT("m64n16k16", LIST8, REGS8(0), "%8", "%9", "%10", "%11", "%12", "%13");
}

__device__ inline void wide_product(float (&d)[16], const u32 (&left)[4], u64 right, int sum) {
    WIDE_PRODUCT("m64n32k16", LIST16, REGS16(0), "%16", "%17", "%18", "%19", "%20", "%21");
}

__device__ inline void wide_product(float (&d)[32], const u32 (&left)[4], u64 right, int sum) {
    WIDE_PRODUCT("m64n64k16", LIST32, REGS32(0), "%32", "%33", "%34", "%35", "%36", "%37");
}

// A step is 256 elements of K: two tiles of 128 codes of b, four of 64 elements of a.
template <int N>
struct Codes {
    enum { STAGES = N <= 8 ? 5 : N == 32 ? 3 : 4 };
    enum { LEFT = 64 * 128, RIGHT = N * 128, STAGE = 2 * LEFT + 4 * RIGHT };
};

__device__ inline u32 widened(u32 codes) {
    u32 r;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(r) : "h"((u16)codes));
    return r;
}

__device__ inline u32 word(u32 address) {
    u32 r;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(address) : "memory");
    return r;
}

template <int N>
__device__ inline void codes_copy(const TensorMap* a, const TensorMap* b, u32 base, u32 full, u32 empty, int from, int to,
                                  int col0, int row0) {
    typedef Codes<N> S;
    int s = 0;
    u32 parity = 1;
    for (int i = from; i < to; i++) {
        barrier_wait(empty + 8 * s, parity);
        u32 told = full + 8 * s;
        u32 left = base + s * S::STAGE;
        u32 right = left + 2 * S::LEFT;
        barrier_expect(told, S::STAGE);
        for (int x = 0; x < 2; x++) {
            tile_load(left + x * S::LEFT, b, told, 256 * i + 128 * x, col0, 0);
        }
        for (int x = 0; x < 4; x++) {
            tile_load(right + x * S::RIGHT, a, told, 256 * i + 64 * x, row0, 0);
        }
        if (++s == S::STAGES) {
            s = 0;
            parity ^= 1;
        }
    }
}

template <int N>
__device__ inline void codes_multiply(float (&d)[N / 2], u32 base, u32 full, u32 empty, int from, int to) {
    typedef Codes<N> S;
    int lane = threadIdx.x % 32;
    // Rows of 128 bytes whose chunks of 16 are swizzled by the row.
    u32 swizzle = lane / 4;
    u32 mine = (threadIdx.x / 32 * 16 + lane / 4) * 128 + lane % 4 * 4;
    int s = 0;
    u32 parity = 0;
    for (int i = from; i < to; i++) {
        barrier_wait(full + 8 * s, parity);
        u32 codes = base + s * S::STAGE + mine;
        u32 right = base + s * S::STAGE + 2 * S::LEFT;
        u32 left[16][4];
#pragma unroll
        for (int q = 0; q < 16; q++) {
            u32 at = codes + q / 8 * S::LEFT + ((q % 8 ^ swizzle) << 4);
            u32 upper = word(at);
            u32 lower = word(at + 8 * 128);
            left[q][0] = widened(upper);
            left[q][1] = widened(lower);
            left[q][2] = widened(upper >> 16);
            left[q][3] = widened(lower >> 16);
        }
        products_begin();
#pragma unroll
        for (int q = 0; q < 16; q++) {
            wide_product(d, left[q], operand<0>(right + q / 4 * S::RIGHT, q % 4), i - from + q);
        }
        products_commit();
        products_wait<0>();
        __syncwarp();
        if (lane == 0) {
            barrier_arrive(empty + 8 * s);
        }
        if (++s == S::STAGES) {
            s = 0;
            parity ^= 1;
        }
    }
}

template <int N>
__device__ inline void codes(Fault* fault, const TensorMap* a, const TensorMap* b, const Output& out, int steps) {
    typedef Codes<N> S;
    DYNAMIC_SHARED(pool);
    UNLESS_FAILED(fault);
    u32 base = pool_start(pool);
    u32 full = base + S::STAGES * S::STAGE;
    u32 empty = full + 8 * S::STAGES;
    u32 parts = cluster_size();
    u32 part = cluster_rank();
    int from = (int)((i64)steps * part / parts);
    int to = (int)((i64)steps * (part + 1) / parts);
    int col0 = blockIdx.x / parts * 64;
    int row0 = blockIdx.y * N;
    if (threadIdx.x == 128) {
        for (int s = 0; s < S::STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, 4);
        }
        barrier_init_done();
        map_prefetch(a);
        map_prefetch(b);
    }
    __syncthreads();
    float d[N / 2];
    if (threadIdx.x < 128) {
        codes_multiply<N>(d, base, full, empty, from, to);
    } else {
        if (threadIdx.x == 128) {
            codes_copy<N>(a, b, base, full, empty, from, to, col0, row0);
        }
        __syncwarp();
    }
    if (parts > 1) {
        slim_join<N>(d, out, base, parts, part, row0, col0, 0);
    } else if (threadIdx.x < 128) {
        slim_save_all<N>(out, row0, col0, 0, d);
    }
}

#define CODES(N)                                                                                                      \
    KERNEL __launch_bounds__(160, 1) slim_e4m3_##N(                                                                   \
        Fault* fault, const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, void* data, i64 m,    \
        i64 n, i64 stride, int type, float alpha, int steps) {                                                        \
        Output out = {data, m, n, stride, 0, type, alpha};                                                            \
        codes<N>(fault, &a, &b, out, steps);                                                                          \
    }

CODES(8)
CODES(16)
CODES(32)
CODES(64)
