// Codes of e4m3 and e2m1 from numbers, and the places of block scales.

#include "flat.cuh"
#include "activation.cuh"
#include "fp8.cuh"
#include "fp4.cuh"

#define GROUP 16

template <typename In>
struct Fp8Body {
    using Loaded = Pack<In, 8>;
    unsigned char* out;
    const In* x;
    Divisor by;

    __device__ Loaded load(i64 i) const {
        return load_words<sizeof(In) * 8>(x + i * 8);
    }

    __device__ void finish(i64 i, const Loaded& p) const {
        float v[8];
        widen(v, p, In());
        store_words(out + i * 8, e4m3_unit(v, by));
    }
};

#define QUANT_FP8(IN)                                                                                              \
    KERNEL quant_fp8_##IN(Fault* fault, unsigned char* out, const IN* x, i64 n, float scale, int packed) {         \
        UNLESS_FAILED(fault);                                                                                      \
        Divisor by = divisor(scale);                                                                               \
        i64 packs = packed ? n / 8 : 0;                                                                            \
        over_packs(packs, Fp8Body<IN>{out, x, by});                                                                \
        OVER_GRID(rest, n - packs * 8) {                                                                           \
            i64 i = packs * 8 + rest;                                                                              \
            out[i] = (unsigned char)to_e4m3_pair(divided(widen(x[i]), by), 0.0f);                                  \
        }                                                                                                          \
    }

QUANT_FP8(f32)
QUANT_FP8(f16)
QUANT_FP8(bf16)

// Where the scale of a row's group lies: row by row, or in tiles of 128 rows and 4 groups. Groups is what a row of scales has.
__device__ inline i64 scale_at(i64 row, i64 group, i64 groups, int swizzled) {
    if (!swizzled) {
        return row * groups + group;
    }
    i64 tile = (row >> 7) * (groups >> 2) + (group >> 2);
    return tile * 512 + (row & 31) * 16 + (row >> 5 & 3) * 4 + (group & 3);
}

// Scales from row by row to tiles, 16 bytes of a tile by a thread: rows 32 apart. Neighbours take neighbouring tiles, then rows.
KERNEL swizzle_blockscale(Fault* fault, unsigned char* out, const unsigned char* scale, i64 rows, i64 groups,
                          i64 padded_groups, i64 n, int packed) {
    UNLESS_FAILED(fault);
    i64 tiles = padded_groups / 4;
    OVER_GRID(i, n) {
        Cell at = cell(i, tiles);
        i64 first = (at.row >> 5 << 7) + (at.row & 31);
        i64 group = at.col * 4;
        Words<16> r;
        for (int j = 0; j < 4; j++) {
            i64 row = first + 32 * j;
            u32 word = 0;
            for (int k = 0; k < 4; k++) {
                word |= row < rows && group + k < groups ? (u32)scale[row * groups + group + k] << 8 * k : 0;
            }
            r.w[j] = word;
        }
        unsigned char* to = out + scale_at(first, group, padded_groups, 1);
        if (packed) {
            store_words(to, r);
        } else {
            for (int k = 0; k < 16; k++) {
                to[k] = (unsigned char)(r.w[k / 4] >> k % 4 * 8);
            }
        }
    }
}

// Where codes and scales go.
struct Fp4Target {
    unsigned char* codes;
    unsigned char* scales;
    float global;
    int swizzled;
    i64 rows;
    // Groups of a row of x and of a row of scales.
    i64 groups;
    i64 padded;
    int packed;

    // A group gets the scale e4m3(largest / 6 * global) and codes of x * global / scale.
    __device__ void put(const float (&x)[GROUP], i64 row, i64 group) const {
        u32 largest = 0;
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            u32 size = __float_as_uint(x[k]) & 0x7fffffff;
            largest = size > largest ? size : largest;
        }
        u32 scale = to_e4m3(__fmul_rn(__uint_as_float(largest) / 6.0f, global));
        scales[scale_at(row, group, padded, swizzled)] = (unsigned char)scale;
        float s = from_e4m3(scale);
        Words<8> r = {{0, 0}};
        if (s != s) {
            r.w[0] = r.w[1] = 0x77777777;
        } else if (s != 0) {
            float factor = fminf(global / s, 3.402823466e38f);
#pragma unroll
            for (int k = 0; k < GROUP; k++) {
                r.w[k / 8] |= to_e2m1(x[k] * factor) << k % 8 * 4;
            }
        }
        unsigned char* to = codes + (row * groups + group) * 8;
        if (packed) {
            store_words(to, r);
        } else {
            for (int k = 0; k < 8; k++) {
                to[k] = (unsigned char)(r.w[k / 4] >> k % 4 * 8);
            }
        }
    }
};

__device__ inline void load_group(float (&v)[GROUP], const void* p, int type, i64 i, int packed) {
    if (packed) {
        load_pack(v, p, type, i);
        return;
    }
#pragma unroll
    for (int k = 0; k < GROUP; k++) {
        v[k] = load(p, type, i + k);
    }
}

// Groups of x as they are.
struct PlainSource {
    const void* x;
    int type;
    i64 cols;

    __device__ void read(float (&v)[GROUP], i64 row, i64 col, int packed) const {
        load_group(v, x, type, row * cols + col, packed);
    }
};

// An activation of one number times, or by, another one, rounded to bf16. The second lies at a distance in each row.
struct PairSource {
    const void* a;
    int a_type;
    const void* b;
    int b_type;
    i64 stride;
    int sigmoids;

    __device__ void read(float (&v)[GROUP], i64 row, i64 col, int packed) const {
        float w[GROUP];
        load_group(v, a, a_type, row * stride + col, packed);
        load_group(w, b, b_type, row * stride + col, packed);
#pragma unroll
        for (int k = 0; k < GROUP; k++) {
            v[k] = sigmoids ? sigmoid_gated(v[k], w[k]) : silu(v[k]) * w[k];
        }
        widen(v, narrow(v, bf16()), bf16());
    }
};

// A thread makes a group; those that only pad the scales are 0.
template <typename Source>
__device__ inline void fp4_quant(const Source& source, const Fp4Target& target, i64 scale_rows) {
    OVER_GRID(i, scale_rows * target.padded) {
        Cell at = cell(i, target.padded);
        if (at.row < target.rows && at.col < target.groups) {
            float v[GROUP];
            source.read(v, at.row, at.col * GROUP, target.packed);
            target.put(v, at.row, at.col);
        } else {
            target.scales[scale_at(at.row, at.col, target.padded, target.swizzled)] = 0;
        }
    }
}

KERNEL scaled_fp4_quant(Fault* fault, unsigned char* codes, unsigned char* scales, float global, int swizzled, i64 rows,
                        i64 groups, i64 scale_rows, i64 padded, int packed, const void* x, int type) {
    UNLESS_FAILED(fault);
    fp4_quant(PlainSource{x, type, groups * GROUP},
              Fp4Target{codes, scales, global, swizzled, rows, groups, padded, packed}, scale_rows);
}

KERNEL gated_fp4_quant(Fault* fault, unsigned char* codes, unsigned char* scales, float global, int swizzled, i64 rows,
                       i64 groups, i64 scale_rows, i64 padded, int packed, const void* a, int a_type, const void* b,
                       int b_type, i64 stride, int sigmoids) {
    UNLESS_FAILED(fault);
    fp4_quant(PairSource{a, a_type, b, b_type, stride, sigmoids},
              Fp4Target{codes, scales, global, swizzled, rows, groups, padded, packed}, scale_rows);
}
