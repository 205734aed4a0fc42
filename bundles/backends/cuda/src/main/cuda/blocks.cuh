// The block encodings of the GGUF format. Each is read in units of 32 elements, each of two steps of 16, each of four quarters: what a lane
// feeds to the matrix units at once are the four codes of a quarter, a byte each. Element = scale * (code's number) - min; scale and min are
// those of a step, and of the whole unit where STEPS is 1.
#include "fp4.cuh"
#include "matrix.cuh"

typedef unsigned char u8;

// Block data may start at any even address, that of q2_K, q4_K and q5_K at multiples of 4, that of mxfp4 anywhere.
__device__ inline u32 word_2(const u8* p) {
    return ((const u16*)p)[0] | (u32)((const u16*)p)[1] << 16;
}

__device__ inline u32 word_4(const u8* p) {
    return *(const u32*)p;
}

__device__ inline u32 word_1(const u8* p) {
    return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

__device__ inline float half_at(const u8* p) {
    return widen(f16{*(const u16*)p});
}

// An integer below 2^23 as a float, without the slow unit for conversions.
__device__ inline float exact(u32 x) {
    return __uint_as_float(0x4b000000u | x) - 8388608.0f;
}

__device__ inline float exact_signed(u32 byte) {
    return __uint_as_float(0x4b000000u | (byte ^ 0x80)) - 8388736.0f;
}

struct Scale {
    float scale;
    float min;
};

// Codes below 128 of which BIAS is taken off.
template <int BIAS>
struct Unsigned {
    __device__ static u32 pair(u32 codes) {
        return exact_difference(masked_or(codes, 0x007f007f, 0x43004300), (0x4300 + BIAS) * 0x10001u);
    }
    __device__ static float number(u32 code) {
        return exact(code) - BIAS;
    }
};

// Codes that are signed bytes: the lower seven bits less the eighth, each behind 128 or 256.
struct Signed {
    __device__ static u32 pair(u32 codes) {
        return exact_difference(masked_or(codes, 0x007f007f, 0x43004300), masked_or(codes, 0x00800080, 0x43004300));
    }
    __device__ static float number(u32 code) {
        return exact_signed(code);
    }
};

// Codes of e2m1: exponent and mantissa moved to their places in bf16, times 2^126.
struct E2m1 {
    __device__ static u32 pair(u32 codes) {
        return exact_product((codes & 0x00070007) << 6 | (codes & 0x00080008) << 12, 0x7e807e80);
    }
    __device__ static float number(u32 code) {
        return from_e2m1(code);
    }
};

template <int UNITS, int STEP_SCALES, bool HAS_MIN, int BLOCK_BYTES, class CODES>
struct Format {
    static constexpr int ELEMENTS = 32 * UNITS;
    static constexpr int BYTES = BLOCK_BYTES;
    static constexpr int STEPS = STEP_SCALES;
    static constexpr bool MINS = HAS_MIN;
    using Codes = CODES;
};

struct Q4_0 : Format<1, 1, false, 18, Unsigned<8>> {
    __device__ static u32 codes(const u8* block, int, int step, int quarter) {
        return word_2(block + 2 + 4 * quarter) >> 4 * step & 0x0f0f0f0f;
    }
    __device__ static Scale scale(const u8* block, int, int) {
        return {half_at(block), 0};
    }
};

// The lower bits of four fields become bit 4 of four bytes.
__device__ inline u32 fifth_bits(u32 bits) {
    return ((bits & 1) | (bits & 2) << 7 | (bits & 4) << 14 | (bits & 8) << 21) << 4;
}

struct Q5_0 : Format<1, 1, false, 22, Unsigned<16>> {
    __device__ static u32 codes(const u8* block, int, int step, int quarter) {
        u32 low = word_2(block + 6 + 4 * quarter) >> 4 * step & 0x0f0f0f0f;
        return low | fifth_bits(*(const u16*)(block + 2 + 2 * step) >> 4 * quarter);
    }
    __device__ static Scale scale(const u8* block, int, int) {
        return {half_at(block), 0};
    }
};

struct Q8_0 : Format<1, 1, false, 34, Signed> {
    __device__ static u32 codes(const u8* block, int, int step, int quarter) {
        return word_2(block + 2 + 16 * step + 4 * quarter);
    }
    __device__ static Scale scale(const u8* block, int, int) {
        return {half_at(block), 0};
    }
};

struct Iq4Nl : Format<1, 1, false, 18, Signed> {
    // Four nibbles pick bytes of a table of 16.
    __device__ static u32 look_up(u32 nibbles) {
        u32 below = __byte_perm(0xbfad9881, 0xf6eaddcf, nibbles & 0x7777);
        u32 above = __byte_perm(0x26190d01, 0x71594535, nibbles & 0x7777);
        u32 mask = __byte_perm(0x0000ff00, 0, nibbles >> 3 & 0x1111);
        return (above & mask) | (below & ~mask);
    }
    __device__ static u32 codes(const u8* block, int, int step, int quarter) {
        u32 x = word_2(block + 2 + 4 * quarter) >> 4 * step & 0x0f0f0f0f;
        x |= x >> 4;
        return look_up((x & 0xff) | (x >> 8 & 0xff00));
    }
    __device__ static Scale scale(const u8* block, int, int) {
        return {half_at(block), 0};
    }
};

struct Mxfp4 : Format<1, 1, false, 17, E2m1> {
    __device__ static u32 codes(const u8* block, int, int step, int quarter) {
        return word_1(block + 1 + 4 * quarter) >> 4 * step & 0x0f0f0f0f;
    }
    // The smallest is no normal number, and 255 a NaN.
    __device__ static Scale scale(const u8* block, int, int) {
        u32 e = block[0];
        return {__uint_as_float(e == 0 ? 0x00400000 : e == 255 ? 0x7fc00000 : e << 23), 0};
    }
};

struct Q2K : Format<8, 2, true, 84, Unsigned<0>> {
    __device__ static u32 codes(const u8* block, int unit, int step, int quarter) {
        return word_4(block + 16 + unit / 4 * 32 + step * 16 + 4 * quarter) >> unit % 4 * 2 & 0x03030303;
    }
    __device__ static Scale scale(const u8* block, int unit, int step) {
        u32 x = block[2 * unit + step];
        return {half_at(block + 80) * exact(x & 15), half_at(block + 82) * exact(x >> 4)};
    }
};

struct Q3K : Format<8, 2, false, 110, Unsigned<4>> {
    __device__ static u32 codes(const u8* block, int unit, int step, int quarter) {
        int at = step * 16 + 4 * quarter;
        u32 low = word_2(block + 32 + unit / 4 * 32 + at) >> unit % 4 * 2 & 0x03030303;
        return low | (word_2(block + at) >> unit & 0x01010101) << 2;
    }
    __device__ static Scale scale(const u8* block, int unit, int step) {
        int j = 2 * unit + step;
        u32 low = block[96 + j % 8] >> j / 8 * 4 & 15;
        u32 high = block[104 + j % 4] >> j / 4 * 2 & 3;
        return {half_at(block + 108) * (exact(low | high << 4) - 32), 0};
    }
};

// Scale and minimum of a unit of q4_K and q5_K, six bits each.
__device__ inline Scale packed_scale(const u8* block, int unit) {
    u32 low = block[4 + unit];
    u32 high = block[8 + unit];
    u32 scale = low & 63;
    u32 min = high & 63;
    if (unit >= 4) {
        scale = (high & 15) | block[unit] >> 6 << 4;
        min = high >> 4 | low >> 6 << 4;
    }
    return {half_at(block) * exact(scale), half_at(block + 2) * exact(min)};
}

struct Q4K : Format<8, 1, true, 144, Unsigned<0>> {
    __device__ static u32 codes(const u8* block, int unit, int step, int quarter) {
        return word_4(block + 16 + unit / 2 * 32 + step * 16 + 4 * quarter) >> unit % 2 * 4 & 0x0f0f0f0f;
    }
    __device__ static Scale scale(const u8* block, int unit, int) {
        return packed_scale(block, unit);
    }
};

struct Q5K : Format<8, 1, true, 176, Unsigned<0>> {
    __device__ static u32 codes(const u8* block, int unit, int step, int quarter) {
        int at = step * 16 + 4 * quarter;
        u32 low = word_4(block + 48 + unit / 2 * 32 + at) >> unit % 2 * 4 & 0x0f0f0f0f;
        return low | (word_4(block + 16 + at) >> unit & 0x01010101) << 4;
    }
    __device__ static Scale scale(const u8* block, int unit, int) {
        return packed_scale(block, unit);
    }
};

struct Q6K : Format<8, 2, false, 210, Unsigned<32>> {
    __device__ static u32 codes(const u8* block, int unit, int step, int quarter) {
        int at = step * 16 + 4 * quarter;
        int run = unit % 4;
        u32 low = word_2(block + unit / 4 * 64 + run % 2 * 32 + at) >> run / 2 * 4 & 0x0f0f0f0f;
        return low | (word_2(block + 128 + unit / 4 * 32 + at) >> 2 * run & 0x03030303) << 4;
    }
    __device__ static Scale scale(const u8* block, int unit, int step) {
        return {half_at(block + 208) * exact_signed(block[192 + 2 * unit + step]), 0};
    }
};
