// e2m1: a sign and 3 bits that stand for 0, 0.5, 1, 1.5, 2, 3, 4, 6.

// The nearest code, ties to the even one, saturating; a NaN becomes 6 of its sign.
__device__ inline u32 to_e2m1(float x) {
    u32 sign = __float_as_uint(x) >> 28 & 8;
    float size = fabsf(x) < 6.0f ? fabsf(x) : 6.0f;
    u32 bits = __float_as_uint(size);
    // Below 1 steps are of 0.5, which is what the last bit of a float next to 2^22 stands for.
    u32 small = __float_as_uint(size + 0x1p22f) & 3;
    u32 large = ((bits + 0x1fffff + (bits >> 22 & 1)) >> 22) - 252;
    return sign | (size < 1.0f ? small : large);
}

// The number of a code, 0 to 15: its bits as those of a number of a smaller exponent, times what that lacks.
__device__ inline float from_e2m1(u32 code) {
    return __uint_as_float((code & 8) << 28 | (code & 7) << 22) * 0x1p126f;
}
