// out[M,N] = a[M,K] * b[N,K] transposed, b in a block encoding, on the matrix units without loss: codes are small integers, which bf16 holds
// exactly, and a float of the activations is cut into up to three bf16 parts that together are the float. The sums of a step's
// products are f32 and are multiplied by the step's scale there. A scale that is infinite counts as NaN, since the sum over its
// elements, of both signs, would be one.
#include "blocks.cuh"

// Elements of a row that a warp takes at once, in units of 32.
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

// Starts the copy of a chunk of some rows, by one warp; the row behind the last one is it again, nobody stores what becomes of it.
template <class F, int ROWS>
__device__ inline void copy_chunk(u8* to, const u8* b, i64 row_bytes, i64 n, i64 first_row, i64 offset) {
    using C = Copied<F>;
    constexpr int LANES = C::PIECES <= 8 ? 8 : C::PIECES <= 16 ? 16 : 32;
    constexpr int AT_ONCE = 32 / LANES;
    int row = threadIdx.x % 32 / LANES;
    int piece = threadIdx.x % LANES;
    i64 left = row_bytes - offset;
    int bytes = left < C::BYTES ? (int)left : C::BYTES;
    to += row * C::ROW + 16 * piece;
    if ((row_bytes & 15) == 0 && first_row + ROWS <= n) {
        const u8* from = b + (first_row + row) * row_bytes + offset;
        int shift = (int)((size_t)from & 15);
        if (16 * piece < shift + bytes) {
            from += 16 * piece - shift;
#pragma unroll
            for (int i = 0; i < ROWS / AT_ONCE; i++) {
                copy_16_async(to + i * AT_ONCE * C::ROW, from);
                from += AT_ONCE * row_bytes;
            }
        }
        return;
    }
#pragma unroll 1
    for (int i = 0; i < ROWS / AT_ONCE; i++) {
        i64 r = first_row + row + i * AT_ONCE;
        const u8* from = b + (r < n ? r : n - 1) * row_bytes + offset;
        int shift = (int)((size_t)from & 15);
        if (16 * piece < shift + bytes) {
            copy_16_async(to + i * AT_ONCE * C::ROW, from - shift + 16 * piece);
        }
    }
}

// The activations of a chunk of a row: a lane has four at its own place and four at 128 more. Those behind the end are not read.
struct Activations {
    float x[2][4];
};

__device__ inline Activations activations(const void* a, int dtype, i64 at, int units, bool aligned) {
    Activations r;
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        i64 i = at + 4 * (lane + 32 * h);
        if (lane + 32 * h >= 8 * units) {
            r.x[h][0] = r.x[h][1] = r.x[h][2] = r.x[h][3] = 0;
        } else if (aligned) {
            load_pack<4>(r.x[h], a, dtype, i);
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                r.x[h][j] = load(a, dtype, i + j);
            }
        }
    }
    return r;
}

// Puts the parts of a row's chunk where the lanes find them: for each unit and column (a part of a row) the words of four lanes.
__device__ inline void put_parts(uint2* to, Activations a, int parts, int columns) {
    int lane = threadIdx.x % 32;
    to += (lane / 8 * columns * 4 + lane % 4) * 2 + lane / 4 % 2;
    for (int p = 0; p < parts; p++) {
#pragma unroll
        for (int h = 0; h < 2; h++) {
            float(&x)[4] = a.x[h];
            u32 first = upper_halves(__float_as_uint(x[0]), __float_as_uint(x[2]));
            u32 second = upper_halves(__float_as_uint(x[1]), __float_as_uint(x[3]));
            to[8 * p + 32 * h * columns] = make_uint2(first, second);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                x[j] = rest_of(x[j]);
            }
        }
    }
}

// Scales of a chunk's rows. Where a block has many, a lane works out those of a row, or of half a row, for the whole warp.
template <class F>
struct Scales {
    static constexpr bool KEPT = F::ELEMENTS == CHUNK;
    static constexpr int COUNT = CHUNK_UNITS * F::STEPS;
    // An odd distance, for the banks.
    static constexpr int ROW = COUNT + 1;

    __device__ static int bytes(int rows) {
        return KEPT ? rows * ROW * (int)sizeof(Scale) : 0;
    }
};

// An infinite scale becomes a NaN, as an infinity times 0 does.
template <class F>
__device__ inline Scale finite_scale(const u8* block, int unit, int step) {
    Scale s = F::scale(block, unit, step);
    s.scale = fmaf(s.scale, 0.0f, s.scale);
    return s;
}

template <class F, int ROWS>
__device__ inline void keep_scales(Scale* table, const u8* copy, i64 first_row, i64 row_bytes, i64 n, const u8* b) {
    using S = Scales<F>;
    constexpr int LANES = 32 / ROWS;
    int lane = threadIdx.x % 32;
    i64 row = first_row + lane % ROWS;
    u32 start = (u32)(size_t)b + (u32)(row < n ? row : n - 1) * (u32)row_bytes;
    const u8* block = copy + lane % ROWS * Copied<F>::ROW + (start & 15);
    table += lane % ROWS * S::ROW;
#pragma unroll
    for (int i = 0; i < S::COUNT / LANES; i++) {
        int j = LANES == 1 ? i : lane / ROWS * (S::COUNT / LANES) + i;
        table[j] = finite_scale<F>(block, j / F::STEPS, j % F::STEPS);
    }
}

// A scale and a minimum for rows g and g + 8.
template <class F>
__device__ inline void finish_step(float (&sum)[4], const float (&c)[4], const float (&ones)[4], Scale upper, Scale lower) {
    sum[0] = fmaf(upper.scale, c[0], sum[0]);
    sum[1] = fmaf(upper.scale, c[1], sum[1]);
    sum[2] = fmaf(lower.scale, c[2], sum[2]);
    sum[3] = fmaf(lower.scale, c[3], sum[3]);
    if constexpr (F::MINS) {
        sum[0] = fmaf(-upper.min, ones[0], sum[0]);
        sum[1] = fmaf(-upper.min, ones[1], sum[1]);
        sum[2] = fmaf(-lower.min, ones[2], sum[2]);
        sum[3] = fmaf(-lower.min, ones[3], sum[3]);
    }
}

// One unit of 16 * TILES rows of weights and of 8 * COLS columns of activations. Lines is where the lane's rows are, 8 rows apart.
template <class F, int TILES, int COLS>
__device__ inline void multiply_unit(float (&sum)[TILES][COLS][4], const uint4 (&x)[COLS], const u8* const (&lines)[2 * TILES], int unit,
                                     const Scale* table) {
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
                Scale s0;
                Scale s1;
                if constexpr (Scales<F>::KEPT) {
                    const Scale* row = table + 16 * i * Scales<F>::ROW + unit * F::STEPS + (F::STEPS == 2 ? step : 0);
                    s0 = row[0];
                    s1 = row[8 * Scales<F>::ROW];
                } else {
                    s0 = finite_scale<F>(lines[2 * i], unit, step);
                    s1 = finite_scale<F>(lines[2 * i + 1], unit, step);
                }
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

// Some units of a chunk, whose copy and parts are there.
template <class F, int TILES, int COLS, int UNITS>
__device__ inline void multiply_units(float (&sum)[TILES][COLS][4], const u8* const (&lines)[2 * TILES], const uint4* parts, int columns,
                                      int first, const Scale* table) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int u = 0; u < UNITS; u++) {
        int unit = first + u;
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
        multiply_unit<F, TILES, COLS>(sum, x, blocks, F::ELEMENTS == CHUNK ? unit : 0, table);
    }
}

template <class F, int TILES, int COLS>
__device__ inline void multiply_chunk(float (&sum)[TILES][COLS][4], const u8* const (&lines)[2 * TILES], const uint4* parts, int columns,
                                      int units, const Scale* table) {
    if (units == CHUNK_UNITS) {
        // Where a block is a chunk, places within it are constants.
        constexpr int UNROLL = F::ELEMENTS == CHUNK ? CHUNK_UNITS : 4;
#pragma unroll 1
        for (int unit = 0; unit < CHUNK_UNITS; unit += UNROLL) {
            multiply_units<F, TILES, COLS, UNROLL>(sum, lines, parts, columns, UNROLL == CHUNK_UNITS ? 0 : unit, table);
        }
    } else if constexpr (F::ELEMENTS < CHUNK) {
#pragma unroll 1
        for (int unit = 0; unit < units; unit++) {
            multiply_units<F, TILES, COLS, 1>(sum, lines, parts, columns, unit, table);
        }
    }
}

// The sums of all warps, in order, then of the parts of each row, are stored.
template <int TILES, int COLS>
__device__ inline void store_sums(float* sums, float (&sum)[TILES][COLS][4], void* out, int dtype, i64 at, i64 stride, int rows, int m,
                                  int parts) {
    constexpr int ROWS = 16 * TILES;
    constexpr int CELLS = ROWS * 8 * COLS;
    int lane = threadIdx.x % 32;
    int warps = blockDim.x / 32;
#pragma unroll
    for (int i = 0; i < TILES; i++) {
#pragma unroll
        for (int j = 0; j < COLS; j++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int row = 16 * i + lane / 4 + e / 2 * 8;
                int column = 8 * j + lane % 4 * 2 + e % 2;
                sums[threadIdx.x / 32 * CELLS + column * ROWS + row] = sum[i][j][e];
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < ROWS * m * parts; i += blockDim.x) {
        float total = 0;
#pragma unroll 8
        for (int w = 0; w < warps; w++) {
            total += sums[w * CELLS + i];
        }
        sums[i] = total;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < ROWS * m; i += blockDim.x) {
        int row = i % ROWS;
        int r = i / ROWS;
        float total = 0;
        for (int p = 0; p < parts; p++) {
            total += sums[(r * parts + p) * ROWS + row];
        }
        if (row < rows) {
            save(out, dtype, at + r * stride + row, total);
        }
    }
}

// Few rows of activations: a block makes 16 * TILES columns of some rows of out, its warps share K. Shared memory: for each warp two copies
// of a chunk, then a chunk of parts and a table of scales; at the end the warps' sums.
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
    int chunks = (int)((k + CHUNK - 1) / CHUNK);
    int last_units = (int)((k + CHUNK - 1) % CHUNK / 32) + 1;
    u8* own = shared + warp * (2 * COPY + CHUNK_UNITS * 64 * columns + Scales<F>::bytes(ROWS));
    uint2* split = (uint2*)(own + 2 * COPY);
    Scale* table = (Scale*)(own + 2 * COPY + CHUNK_UNITS * 64 * columns);
    float sum[TILES][COLS][4] = {};
    u32 starts[2 * TILES];
#pragma unroll
    for (int i = 0; i < 2 * TILES; i++) {
        i64 row = row0 + lane / 4 + 8 * i;
        starts[i] = (u32)(size_t)b + (u32)(row < n ? row : n - 1) * (u32)row_bytes;
    }
    i64 at = first * a_stride;
    Activations x = {};
    int stage = 0;
    // The first two rounds only start copies, the second of them also reads activations.
    for (int chunk = warp - 2 * warps; chunk < chunks; chunk += warps) {
        u8* copy = own + stage * COPY;
        bool there = chunk >= 0;
        for (int r = there ? 0 : m - 1; r < m; r++) {
            // What comes next is on its way while this is worked on.
            Activations now = x;
            int next = r + 1 < m ? chunk : chunk + warps;
            if (next >= 0 && next < chunks) {
                i64 row = r + 1 < m ? (r + 1) * a_stride : 0;
                x = activations(a, a_type, at + row + (i64)next * CHUNK, next == chunks - 1 ? last_units : CHUNK_UNITS, aligned);
            }
            if (there) {
                put_parts(split + 8 * r * parts, now, parts, columns);
            }
        }
        if (there) {
            wait_groups<1>();
            __syncwarp();
            const u8* lines[2 * TILES];
#pragma unroll
            for (int i = 0; i < 2 * TILES; i++) {
                lines[i] = copy + (lane / 4 + 8 * i) * Copied<F>::ROW + (starts[i] + (u32)chunk * Copied<F>::BYTES & 15);
            }
            if constexpr (Scales<F>::KEPT) {
                keep_scales<F, ROWS>(table, copy, row0, row_bytes, n, b + (i64)chunk * Copied<F>::BYTES);
                __syncwarp();
            }
            multiply_chunk<F, TILES, COLS>(sum, lines, (const uint4*)split, columns, chunk == chunks - 1 ? last_units : CHUNK_UNITS,
                                           table + lane / 4 * Scales<F>::ROW);
            __syncwarp();
        }
        if (chunk + 2 * warps < chunks) {
            copy_chunk<F, ROWS>(copy, b, row_bytes, n, row0, (i64)(chunk + 2 * warps) * Copied<F>::BYTES);
        }
        end_group();
        stage ^= 1;
    }
    __syncthreads();
    i64 left = n - row0;
    store_sums<TILES, COLS>((float*)shared, sum, out, out_type, first * out_stride + row0, out_stride, left < ROWS ? (int)left : ROWS, m, parts);
}

#define FEW_ROWS(FORMAT, TILES, COLS)                                                                                              \
    KERNEL __launch_bounds__(256, 2) few_rows_##TILES##_##COLS(Fault* fault, void* out, const void* a, const u8* b, i64 all, int rows, i64 n, i64 k,         \
                                     i64 out_stride, i64 a_stride, int out_type, int a_type, int aligned) {                        \
        UNLESS_FAILED(fault);                                                                                                      \
        few_rows<FORMAT, TILES, COLS>(out, a, b, all, rows, n, k, out_stride, a_stride, out_type, a_type, aligned);                \
    }

#define BLOCK_PRODUCT(FORMAT) FEW_ROWS(FORMAT, 1, 1) FEW_ROWS(FORMAT, 2, 1) FEW_ROWS(FORMAT, 1, 2) FEW_ROWS(FORMAT, 1, 3)
