// out[M,N] = a[M,K] * b[N,K] transposed, b in a block encoding, on the matrix units without loss: codes are small integers, which bf16 holds
// exactly, and a float of the activations is cut into up to three bf16 parts that together are the float. The sums of a step's
// products are f32 and are multiplied by the step's scale there. A scale that is infinite counts as NaN, since the sum over its
// elements, of both signs, would be one.
#include "blocks.cuh"

// Elements of a row that a warp takes at once.
#define CHUNK 256
#define CHUNK_UNITS 8

// A chunk's bytes as they are copied, in whole pieces of 16 from a multiple of 16 on. The distance of two rows' copies is an odd number of
// pieces, so that words at the same place of eight rows lie in different banks.
template <class F>
struct Copied {
    static constexpr int BYTES = CHUNK / F::ELEMENTS * F::BYTES;
    static constexpr int PIECES = (BYTES + 30) / 16 | 1;
    static constexpr int ROW = 16 * PIECES;
};

// Starts the copy of a chunk of some rows, by one warp.
template <class F, int ROWS>
__device__ inline void copy_chunk(u8* to, const u8* b, i64 row_bytes, i64 n, i64 first_row, i64 offset) {
    using C = Copied<F>;
    i64 left = row_bytes - offset;
    int bytes = left < C::BYTES ? (int)left : C::BYTES;
    for (int i = threadIdx.x % 32; i < ROWS * C::PIECES; i += 32) {
        int row = i / C::PIECES;
        int piece = i % C::PIECES;
        // Rows behind the last one are it again; nobody stores what becomes of them.
        i64 r = first_row + row < n ? first_row + row : n - 1;
        const u8* from = b + r * row_bytes + offset;
        int shift = (int)((size_t)from & 15);
        if (16 * piece < shift + bytes) {
            copy_16_async(to + row * C::ROW + 16 * piece, from - shift + 16 * piece);
        }
    }
}

// The activations' parts for some units: for each unit and column (part of a row) four lanes' words, as they go to the matrix units.
__device__ inline void split_chunk(uint2* to, const void* a, int dtype, i64 stride, int m, i64 from, int units, bool aligned) {
    int parts = parts_of(dtype);
    int columns = m * parts;
    for (int i = threadIdx.x % 32; i < m * units * 8; i += 32) {
        int row = i / (units * 8);
        int four = i % (units * 8);
        i64 at = row * stride + from + 4 * four;
        float x[4];
        if (aligned) {
            load_pack<4>(x, a, dtype, at);
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                x[j] = load(a, dtype, at + j);
            }
        }
        int step = four / 4 % 2;
        uint2* place = to + ((four / 8 * columns + row * parts) * 4 + four % 4) * 2 + step;
        for (int p = 0; p < parts; p++) {
            u32 bits[4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                bits[j] = __float_as_uint(x[j]);
                x[j] = rest_of(x[j]);
            }
            place[8 * p] = make_uint2(upper_halves(bits[0], bits[2]), upper_halves(bits[1], bits[3]));
        }
    }
}

// A scale and a minimum for rows g and g + 8.
template <class F>
__device__ inline void finish_step(float (&sum)[4], const float (&c)[4], const float (&ones)[4], Scale upper, Scale lower) {
    // An infinity times 0 is a NaN.
    float s0 = fmaf(upper.scale, 0.0f, upper.scale);
    float s1 = fmaf(lower.scale, 0.0f, lower.scale);
    sum[0] = fmaf(s0, c[0], sum[0]);
    sum[1] = fmaf(s0, c[1], sum[1]);
    sum[2] = fmaf(s1, c[2], sum[2]);
    sum[3] = fmaf(s1, c[3], sum[3]);
    if constexpr (F::MINS) {
        sum[0] = fmaf(-upper.min, ones[0], sum[0]);
        sum[1] = fmaf(-upper.min, ones[1], sum[1]);
        sum[2] = fmaf(-lower.min, ones[2], sum[2]);
        sum[3] = fmaf(-lower.min, ones[3], sum[3]);
    }
}

// One unit of 16 * TILES rows of weights and of 8 * COLS columns of activations. Lines is where the lane's rows are, 8 rows apart.
template <class F, int TILES, int COLS>
__device__ inline void multiply_unit(float (&sum)[TILES][COLS][4], const uint4 (&x)[COLS], const u8* const (&lines)[2 * TILES], int unit) {
    using Codes = typename F::Codes;
    constexpr u32 ONES = 0x3f803f80;
    const u32 ones[4] = {ONES, ONES, ONES, ONES};
    int quarter = threadIdx.x % 4;
    float total[COLS][4] = {};
    float c[TILES][COLS][4] = {};
#pragma unroll
    for (int step = 0; step < 2; step++) {
        bool done = F::STEPS == 2 || step == 1;
        if constexpr (F::MINS) {
#pragma unroll
            for (int j = 0; j < COLS; j++) {
                multiply_add(total[j], ones, step ? x[j].z : x[j].x, step ? x[j].w : x[j].y);
            }
        }
#pragma unroll
        for (int i = 0; i < TILES; i++) {
            u32 w0 = F::codes(lines[2 * i], unit, step, quarter);
            u32 w1 = F::codes(lines[2 * i + 1], unit, step, quarter);
            const u32 a[4] = {Codes::pair(w0), Codes::pair(w1), Codes::pair(w0 >> 8), Codes::pair(w1 >> 8)};
#pragma unroll
            for (int j = 0; j < COLS; j++) {
                multiply_add(c[i][j], a, step ? x[j].z : x[j].x, step ? x[j].w : x[j].y);
            }
            if (done) {
                Scale s0 = F::scale(lines[2 * i], unit, step);
                Scale s1 = F::scale(lines[2 * i + 1], unit, step);
#pragma unroll
                for (int j = 0; j < COLS; j++) {
                    finish_step<F>(sum[i][j], c[i][j], total[j], s0, s1);
                    c[i][j][0] = c[i][j][1] = c[i][j][2] = c[i][j][3] = 0;
                }
            }
        }
        if (done) {
#pragma unroll
            for (int j = 0; j < COLS; j++) {
                total[j][0] = total[j][1] = total[j][2] = total[j][3] = 0;
            }
        }
    }
}

// One chunk, whose copy and parts are there.
template <class F, int TILES, int COLS>
__device__ inline void multiply_chunk(float (&sum)[TILES][COLS][4], const u8* const (&lines)[2 * TILES], const uint4* parts, int columns,
                                      int units) {
    int lane = threadIdx.x % 32;
    // Where a block is a chunk, places within it are constants.
    constexpr int UNROLL = F::ELEMENTS == CHUNK ? CHUNK_UNITS : 2;
#pragma unroll UNROLL
    for (int unit = 0; unit < CHUNK_UNITS; unit++) {
        if (F::ELEMENTS < CHUNK && unit >= units) {
            break;
        }
        uint4 x[COLS];
#pragma unroll
        for (int j = 0; j < COLS; j++) {
            int column = 8 * j + lane / 4;
            x[j] = column < columns ? parts[(unit * columns + column) * 4 + lane % 4] : make_uint4(0, 0, 0, 0);
        }
        const u8* blocks[2 * TILES];
#pragma unroll
        for (int i = 0; i < 2 * TILES; i++) {
            blocks[i] = lines[i] + (F::ELEMENTS == CHUNK ? 0 : unit * F::BYTES);
        }
        multiply_unit<F, TILES, COLS>(sum, x, blocks, F::ELEMENTS == CHUNK ? unit : 0);
    }
}

// Few rows of activations: a block makes 16 * TILES columns of some rows of out, its warps share K. Shared memory: for each warp two copies
// of a chunk, then a chunk of parts; at the end the warps' sums.
template <class F, int TILES, int COLS>
__device__ inline void few_rows(void* out, const void* a, const u8* b, i64 all, int rows, i64 n, i64 k, i64 out_stride, i64 a_stride,
                                int out_type, int a_type, int aligned) {
    DYNAMIC_SHARED(shared);
    constexpr int ROWS = 16 * TILES;
    constexpr int COPY = ROWS * Copied<F>::ROW;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int warps = blockDim.x / 32;
    int parts = parts_of(a_type);
    i64 first = (i64)blockIdx.y * rows;
    int m = all - first < rows ? (int)(all - first) : rows;
    int columns = m * parts;
    i64 row0 = (i64)blockIdx.x * ROWS;
    i64 row_bytes = k / F::ELEMENTS * F::BYTES;
    i64 chunks = (k + CHUNK - 1) / CHUNK;
    u8* own = shared + warp * (2 * COPY + CHUNK_UNITS * 64 * columns);
    uint4* split = (uint4*)(own + 2 * COPY);
    float sum[TILES][COLS][4] = {};
    for (int s = 0; s < 2; s++) {
        i64 chunk = warp + s * warps;
        if (chunk < chunks) {
            copy_chunk<F, ROWS>(own + s * COPY, b, row_bytes, n, row0, chunk * Copied<F>::BYTES);
        }
        end_group();
    }
    int stage = 0;
    for (i64 chunk = warp; chunk < chunks; chunk += warps) {
        i64 from = chunk * CHUNK;
        int units = k - from < CHUNK ? (int)(k - from) / 32 : CHUNK_UNITS;
        split_chunk((uint2*)split, a, a_type, a_stride, m, first * a_stride + from, units, aligned);
        wait_groups<1>();
        __syncwarp();
        u8* copy = own + stage * COPY;
        const u8* lines[2 * TILES];
#pragma unroll
        for (int i = 0; i < 2 * TILES; i++) {
            int row = lane / 4 + 8 * i;
            i64 r = row0 + row < n ? row0 + row : n - 1;
            size_t address = (size_t)b + (size_t)(r * row_bytes + chunk * Copied<F>::BYTES);
            lines[i] = copy + row * Copied<F>::ROW + (address & 15);
        }
        multiply_chunk<F, TILES, COLS>(sum, lines, split, columns, units);
        __syncwarp();
        if (chunk + 2 * warps < chunks) {
            copy_chunk<F, ROWS>(copy, b, row_bytes, n, row0, (chunk + 2 * warps) * Copied<F>::BYTES);
        }
        end_group();
        stage ^= 1;
    }
    __syncthreads();
    float* sums = (float*)shared;
#pragma unroll
    for (int i = 0; i < TILES; i++) {
#pragma unroll
        for (int j = 0; j < COLS; j++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int row = 16 * i + lane / 4 + e / 2 * 8;
                int column = 8 * j + lane % 4 * 2 + e % 2;
                sums[(warp * ROWS + row) * 8 * COLS + column] = sum[i][j][e];
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < ROWS * m; i += blockDim.x) {
        int row = i % ROWS;
        int r = i / ROWS;
        double total = 0;
        for (int w = 0; w < warps; w++) {
            for (int p = 0; p < parts; p++) {
                total += sums[(w * ROWS + row) * 8 * COLS + r * parts + p];
            }
        }
        if (row0 + row < n) {
            save(out, out_type, (first + r) * out_stride + row0 + row, (float)total);
        }
    }
}

#define FEW_ROWS(FORMAT, TILES, COLS)                                                                                              \
    KERNEL few_rows_##TILES##_##COLS(Fault* fault, void* out, const void* a, const u8* b, i64 all, int rows, i64 n, i64 k,         \
                                     i64 out_stride, i64 a_stride, int out_type, int a_type, int aligned) {                        \
        UNLESS_FAILED(fault);                                                                                                      \
        few_rows<FORMAT, TILES, COLS>(out, a, b, all, rows, n, k, out_stride, a_stride, out_type, a_type, aligned);                \
    }

#define BLOCK_PRODUCT(FORMAT) FEW_ROWS(FORMAT, 1, 1) FEW_ROWS(FORMAT, 2, 1) FEW_ROWS(FORMAT, 1, 2) FEW_ROWS(FORMAT, 1, 3)
