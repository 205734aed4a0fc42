// e4m3: sign, 4 bits of exponent (bias 7), 3 bits of mantissa; no infinities, 0x7f is NaN, the largest number is 448.

#include "vector.cuh"

// The nearest code, ties to even, saturating; a NaN becomes 0x7f.
__device__ inline u32 to_e4m3(float x) {
    u32 bits = __float_as_uint(x);
    u32 size = bits & 0x7fffffff;
    u32 sign = bits >> 24 & 0x80;
    if (size > 0x7f800000) {
        return 0x7f;
    }
    if (size >= 0x43e00000) {
        return sign | 0x7e;
    }
    if (size < 0x3c800000) {
        // Below 2^-6 steps are of 2^-9, which is what the last bit of a float next to 2^14 stands for.
        return sign | (__float_as_uint(__uint_as_float(size) + 16384.0f) & 15);
    }
    return sign | (((size + 0x7ffff + (size >> 20 & 1)) >> 20) - 960);
}

// Two codes, the first in the lower byte.
__device__ inline u32 to_e4m3_pair(float low, float high) {
#if defined(VT_ON_HOST) || __CUDA_ARCH__ < 890
    return to_e4m3(low) | to_e4m3(high) << 8;
#else
    u16 r;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(r) : "f"(high), "f"(low));
    return r;
#endif
}

// The number of a code: its bits as those of a number of a smaller exponent, times what that lacks.
__device__ inline float from_e4m3(u32 code) {
    u32 size = code & 0x7f;
    float x = size == 0x7f ? __uint_as_float(0x7fc00000) : __uint_as_float(size << 20) * 0x1p120f;
    return code & 0x80 ? -x : x;
}

// Divides by a scale again and again, each time as x / scale does it.
struct Divisor {
    float scale;
    float inverse;
    bool quick;
};

// Quick where neither the inverse nor what it is multiplied with loses digits at an end of the range.
__device__ inline Divisor divisor(float scale) {
    return {scale, 1.0f / scale, scale > 0x1p-100f && scale < 0x1p100f};
}

// x / scale for what becomes e4m3: quotients out of its range may be off, but stay out of it, and keep the sign of 0.
__device__ inline float divided(float x, Divisor by) {
    if (!by.quick) {
        return x / by.scale;
    }
    float q = x * by.inverse;
    float better = fmaf(fmaf(-q, by.scale, x), by.inverse, q);
    return fabsf(q) < 1024.0f && fabsf(q) > 0x1p-20f ? better : q;
}

// Codes of 8 quotients.
__device__ inline Words<8> e4m3_unit(const float (&x)[8], Divisor by) {
    Words<8> codes;
#pragma unroll
    for (int k = 0; k < 8; k += 4) {
        u32 low = to_e4m3_pair(divided(x[k], by), divided(x[k + 1], by));
        u32 high = to_e4m3_pair(divided(x[k + 2], by), divided(x[k + 3], by));
        codes.w[k / 4] = low | high << 16;
    }
    return codes;
}
