// Products of rows with f32 arithmetic, in groups of 16 elements of K: what nvfp4 shares a scale over. Readers bring a group of
// an operand's row to floats.
#include "fp4.cuh"
#include "fp8.cuh"
#include "vector.cuh"

typedef unsigned char u8;

#define GROUP 16

// Rows of plain floats; what is behind the end of K counts as 0.
struct FloatRows {
    const void* a;
    int type;
    i64 k;

    __device__ void read(float (&x)[GROUP], i64 row, i64 group) const {
        i64 at = row * k + group * GROUP;
        i64 left = k - group * GROUP;
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            x[i] = i < left ? load(a, type, at + i) : 0;
        }
    }
};

// Rows of e2m1 codes with a scale for each group: a code times its scale is exact.
struct Fp4Rows {
    const u8* codes;
    const u8* scales;
    i64 groups;
    int swizzled;

    __device__ i64 place(i64 row, i64 group) const {
        if (!swizzled) {
            return row * groups + group;
        }
        i64 tile = row / 128 * ((groups + 3) / 4) + group / 4;
        return tile * 512 + row % 32 * 16 + row / 32 % 4 * 4 + group % 4;
    }

    __device__ void read(float (&x)[GROUP], i64 row, i64 group) const {
        const u8* p = codes + (row * groups + group) * (GROUP / 2);
        u32 w[2];
        if (((size_t)p & 3) == 0) {
            w[0] = ((const u32*)p)[0];
            w[1] = ((const u32*)p)[1];
        } else {
            for (int i = 0; i < 2; i++) {
                w[i] = p[4 * i] | p[4 * i + 1] << 8 | p[4 * i + 2] << 16 | (u32)p[4 * i + 3] << 24;
            }
        }
        float scale = from_e4m3(scales[place(row, group)]);
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            x[i] = from_e2m1(w[i / 8] >> i % 8 * 4 & 15) * scale;
        }
    }
};

// The same times the tensor's scale, rounded to f32, then to bf16.
struct Nvfp4Rows {
    Fp4Rows rows;
    float scale2;

    __device__ void read(float (&x)[GROUP], i64 row, i64 group) const {
        rows.read(x, row, group);
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            bf16 rounded;
            store(&rounded, x[i] * scale2);
            x[i] = widen(rounded);
        }
    }
};

// Columns of a bf16 matrix [K,N].
struct Bf16Columns {
    const bf16* b;
    i64 k;
    i64 n;

    __device__ void read(float (&x)[GROUP], i64 column, i64 group) const {
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            i64 row = group * GROUP + i;
            x[i] = row < k ? widen(b[row * n + column]) : 0;
        }
    }
};

// Columns of an expert's weight in the order of Marlin's products.
struct MarlinColumns {
    const u32* packed;
    const u8* scales;
    i64 n;

    __device__ void read(float (&x)[GROUP], i64 column, i64 group) const {
        int c = (int)(column % 64);
        i64 tile = column - c;
        const u32* words = packed + group * 2 * n + tile * 2 + c % 8 * 16 + c / 16;
        float scale = from_e4m3(scales[group * n + tile + c % 8 * 8 + c / 8]);
#pragma unroll
        for (int i = 0; i < GROUP; i++) {
            int slot = i % 2 * 4 + c / 8 % 2 * 2 + i / 8;
            x[i] = from_e2m1(words[i % 8 / 2 * 4] >> 4 * slot & 15) * scale;
        }
    }
};

// sum[r] += left[rows[r]] . right[at] over groups first, first + step, ...
template <int R, class Left, class Right>
__device__ inline void add_groups(float (&sum)[R], const Left& left, const i64 (&rows)[R], const Right& right, i64 at, i64 groups, i64 first,
                                  i64 step) {
    for (i64 g = first; g < groups; g += step) {
        float w[GROUP];
        right.read(w, at, g);
#pragma unroll
        for (int r = 0; r < R; r++) {
            float x[GROUP];
            left.read(x, rows[r], g);
            float part = 0;
#pragma unroll
            for (int i = 0; i < GROUP; i++) {
                part = fmaf(x[i], w[i], part);
            }
            sum[r] += part;
        }
    }
}

// A warp makes the products of R rows with one row of weights; each lane gets them.
template <int R, class Left, class Right>
__device__ inline void warp_products(float (&sum)[R], const Left& left, const i64 (&rows)[R], const Right& right, i64 at, i64 groups) {
    add_groups<R>(sum, left, rows, right, at, groups, threadIdx.x % 32, 32);
#pragma unroll
    for (int r = 0; r < R; r++) {
        for (int d = 16; d > 0; d >>= 1) {
            sum[r] += __shfl_xor_sync(0xffffffffu, sum[r], d);
        }
    }
}

// A block of 8 warps makes the products of R rows with 32 columns of weights, a lane each, where columns are what lies side by side. Thread
// 32 * r + c gets that of row r and column c.
template <int R, class Left, class Right>
__device__ inline float column_product(const Left& left, const i64 (&rows)[R], const Right& right, i64 column, i64 groups) {
    __shared__ float sums[8][32 * R];
    float sum[R] = {};
    int lane = threadIdx.x % 32;
    add_groups<R>(sum, left, rows, right, column, groups, threadIdx.x / 32, 8);
#pragma unroll
    for (int r = 0; r < R; r++) {
        sums[threadIdx.x / 32][32 * r + lane] = sum[r];
    }
    __syncthreads();
    float total = 0;
    if (threadIdx.x < 32 * R) {
        for (int w = 0; w < 8; w++) {
            total += sums[w][threadIdx.x];
        }
    }
    __syncthreads();
    return total;
}
