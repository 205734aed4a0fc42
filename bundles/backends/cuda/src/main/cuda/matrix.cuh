// The matrix units as a warp uses them: products of 16 by 16 and 16 by 8 bf16 numbers, exact numbers made for them from a few bits,
// floats cut into bf16 parts; and copies to shared memory that nobody waits for until told to.
#include "vector.cuh"

// c[16,8] += a[16,16] * b[16,8]. Lane l has, with g = l / 4 and t = l % 4, of a rows g and g + 8 (words 0 and 1) at columns 2t and 2t + 1, then
// the same at 8 columns more; of b column g at rows 2t and 2t + 1, then at 8 rows more; of c row g at columns 2t and 2t + 1, then row g + 8.
__device__ inline void multiply_add(float (&c)[4], const u32 (&a)[4], u32 b0, u32 b1) {
#ifdef VT_ON_HOST
    emulated::multiply_add(c, a, b0, b1);
#else
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#endif
}

__device__ inline float low_bf16(u32 pair) {
    return __uint_as_float(pair << 16);
}

__device__ inline float high_bf16(u32 pair) {
    return __uint_as_float(pair & 0xffff0000u);
}

// The upper halves of two words as one, the first in the lower half.
__device__ inline u32 upper_halves(u32 low, u32 high) {
    return __byte_perm(low, high, 0x7632);
}

// (x & mask) | bits in one step, which the compiler does not make of it when both are constants.
__device__ inline u32 masked_or(u32 x, u32 mask, u32 bits) {
#ifdef VT_ON_HOST
    return (x & mask) | bits;
#else
    u32 r;
    asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(r) : "r"(x), "r"(mask), "r"(bits));
    return r;
#endif
}

// Differences and products of two bf16 each, where they are bf16 numbers.
__device__ inline u32 exact_difference(u32 a, u32 b) {
#ifdef VT_ON_HOST
    return upper_halves(__float_as_uint(low_bf16(a) - low_bf16(b)), __float_as_uint(high_bf16(a) - high_bf16(b)));
#else
    u32 r;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(b), "r"(0xbf80bf80u), "r"(a));
    return r;
#endif
}

__device__ inline u32 exact_product(u32 a, u32 b) {
#ifdef VT_ON_HOST
    return upper_halves(__float_as_uint(low_bf16(a) * low_bf16(b)), __float_as_uint(high_bf16(a) * high_bf16(b)));
#else
    u32 r;
    asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(0x80008000u));
    return r;
#endif
}

// How many bf16 parts a float of a type has.
__device__ inline int parts_of(int dtype) {
    return dtype == F32 ? 3 : dtype == F16 ? 2 : 1;
}

// What is left of x when its upper 8 bits of mantissa are taken off; of an infinity nothing.
__device__ inline float rest_of(float x) {
    float upper = high_bf16(__float_as_uint(x));
    return upper == x ? 0.0f : x - upper;
}

__device__ inline void copy_16_async(void* shared, const void* global) {
#ifdef VT_ON_HOST
    memcpy(shared, global, 16);
#else
    u32 to;
    asm("{ .reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t; }" : "=r"(to) : "l"(shared));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(global) : "memory");
#endif
}

// Ends a group of copies of this thread.
__device__ inline void end_group() {
#ifndef VT_ON_HOST
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until at most so many groups of this thread are under way.
template <int LEFT>
__device__ inline void wait_groups() {
#ifndef VT_ON_HOST
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}
