// Large products: blocks stay on their multiprocessor and take one tile of 128 by 256 after the other. A warpgroup copies, two
// multiply.

#include "sm90.cuh"

#define ROWS 128
#define COLS 256
#define STAGES 4
#define LEFT (ROWS * 128)
#define STAGE (LEFT + COLS * 128)

__device__ inline u32 pack_bf16(float low, float high) {
    u32 r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
}

// Each of four neighbouring lanes has two columns of four blocks of eight; afterwards each has one whole block.
__device__ inline void gather_blocks(u32 (&p)[4]) {
    bool odd = threadIdx.x & 1;
    bool high = threadIdx.x & 2;
#pragma unroll
    for (int i = 0; i < 4; i += 2) {
        u32 r = __shfl_xor_sync(0xffffffffu, odd ? p[i] : p[i + 1], 1);
        (odd ? p[i] : p[i + 1]) = r;
    }
#pragma unroll
    for (int i = 0; i < 2; i++) {
        u32 r = __shfl_xor_sync(0xffffffffu, high ? p[i] : p[i + 2], 2);
        (high ? p[i] : p[i + 2]) = r;
    }
}

// A row of accumulators of a tile of N columns to memory; half: 0 or 1, the thread's first or second row.
template <int N>
__device__ inline void save_row(const Output& o, i64 row, i64 col0, const float (&d)[N / 2], int half) {
    int quad = threadIdx.x & 3;
    bool aligned = ((u64)o.data & 15) == 0 && o.stride % 8 == 0;
    if (o.type == F32) {
        float* to = (float*)o.data + row * o.stride + col0;
#pragma unroll
        for (int j = 0; j < N / 8; j++) {
            i64 col = 8 * j + 2 * quad;
            float x = o.alpha * d[4 * j + 2 * half];
            float y = o.alpha * d[4 * j + 2 * half + 1];
            if (aligned && col0 + col + 1 < o.n) {
                if (row < o.m) {
                    *(float2*)(to + col) = make_float2(x, y);
                }
            } else if (row < o.m && col0 + col < o.n) {
                to[col] = x;
                if (col0 + col + 1 < o.n) {
                    to[col + 1] = y;
                }
            }
        }
        return;
    }
    u16* to = (u16*)o.data + row * o.stride + col0;
#pragma unroll
    for (int j = 0; j < N / 8; j += 4) {
        u32 p[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int at = 4 * (j + i) + 2 * half;
            p[i] = pack_bf16(o.alpha * d[at], o.alpha * d[at + 1]);
        }
        gather_blocks(p);
        i64 col = 8 * (j + quad);
        if (row >= o.m) {
            continue;
        }
        if (aligned && col0 + col + 8 <= o.n) {
            *(uint4*)(to + col) = make_uint4(p[0], p[1], p[2], p[3]);
        } else {
            for (int i = 0; i < 8; i++) {
                if (col0 + col + i < o.n) {
                    to[col + i] = (u16)(p[i / 2] >> 16 * (i & 1));
                }
            }
        }
    }
}

struct Place {
    int row;
    int col;
    int group;
};

// Tiles that are computed at the same time share rows in the second-level cache: they go down a band first.
__device__ inline Place place(int tile, int rows, int cols) {
    int band = 16;
    Place p;
    p.group = tile / (rows * cols);
    tile -= p.group * rows * cols;
    int first = tile / (band * cols) * band;
    int height = rows - first < band ? rows - first : band;
    tile -= first * cols;
    p.row = first + tile % height;
    p.col = tile / height;
    return p;
}

struct Ring {
    int stage;
    u32 parity;

    __device__ void next() {
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
};

template <int ACROSS>
__device__ inline void copy_tiles(const TensorMap* a, const TensorMap* b, u32 base, u32 full, u32 empty, int steps,
                                  int rows, int cols, int tiles, int a_step, int b_step) {
    Ring ring = {0, 1};
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        Place p = place(tile, rows, cols);
        for (int i = 0; i < steps; i++) {
            barrier_wait(empty + 8 * ring.stage, ring.parity);
            u32 told = full + 8 * ring.stage;
            u32 left = base + ring.stage * STAGE;
            u32 right = left + LEFT;
            barrier_expect(told, STAGE);
            tile_load(left, a, told, 64 * i, p.row * ROWS, p.group * a_step);
            if (ACROSS) {
                for (int c = 0; c < COLS; c += 64) {
                    tile_load(right + c * 128, b, told, p.col * COLS + c, 64 * i, p.group * b_step);
                }
            } else {
                tile_load(right, b, told, 64 * i, p.col * COLS, p.group * b_step);
            }
            ring.next();
        }
    }
}

template <class T, int ACROSS>
__device__ inline void multiply_tiles(const Output& out, u32 base, u32 full, u32 empty, int steps, int rows, int cols,
                                      int tiles) {
    int t = threadIdx.x & 127;
    int half = (threadIdx.x >> 7) - 1;
    float d[COLS / 2];
    Ring ring = {0, 0};
    for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        Place p = place(tile, rows, cols);
        int last = 0;
        for (int i = 0; i < steps; i++) {
            barrier_wait(full + 8 * ring.stage, ring.parity);
            u32 left = base + ring.stage * STAGE + half * 64 * 128;
            u32 right = base + ring.stage * STAGE + LEFT;
            products_begin();
#pragma unroll
            for (int q = 0; q < 4; q++) {
                product<T, 0, ACROSS>(d, operand<0>(left, q), operand<ACROSS>(right, q), i + q);
            }
            products_commit();
            // One step stays under way; the one before it is done with its stage.
            if (i > 0) {
                products_wait<1>();
                if (t == 0) {
                    barrier_arrive(empty + 8 * last);
                }
            }
            last = ring.stage;
            ring.next();
        }
        products_wait<0>();
        if (t == 0) {
            barrier_arrive(empty + 8 * last);
        }
        Output to = out;
        to.data = (char*)out.data + p.group * out.group * (out.type == F32 ? 4 : 2);
        i64 row = (i64)p.row * ROWS + half * 64 + t / 32 * 16 + t % 32 / 4;
        save_row<COLS>(to, row, (i64)p.col * COLS, d, 0);
        save_row<COLS>(to, row + 8, (i64)p.col * COLS, d, 1);
    }
}

// steps: of 64 elements of K; rows, cols: tiles; a_step, b_step: 0 where all pairs share the matrix.
template <class T, int ACROSS>
__device__ inline void large(Fault* fault, const TensorMap* a, const TensorMap* b, const Output& out, int steps,
                             int rows, int cols, int groups, int a_step, int b_step) {
    DYNAMIC_SHARED(pool);
    UNLESS_FAILED(fault);
    u32 base = pool_start(pool);
    u32 full = base + STAGES * STAGE;
    u32 empty = full + 8 * STAGES;
    if (threadIdx.x == 0) {
        for (int s = 0; s < STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, 2);
        }
        barrier_init_done();
        map_prefetch(a);
        map_prefetch(b);
    }
    __syncthreads();
    int tiles = rows * cols * groups;
    // The 64 Ki registers of a multiprocessor go to those that multiply.
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        if (threadIdx.x == 0) {
            copy_tiles<ACROSS>(a, b, base, full, empty, steps, rows, cols, tiles, a_step, b_step);
        }
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        multiply_tiles<T, ACROSS>(out, base, full, empty, steps, rows, cols, tiles);
    }
}

#define LARGE(NAME, T, ACROSS)                                                                                        \
    KERNEL __launch_bounds__(384, 1) NAME(                                                                            \
        Fault* fault, const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, void* data, i64 m,    \
        i64 n, i64 stride, i64 group, int type, float alpha, int steps, int rows, int cols, int groups, int a_step,   \
        int b_step) {                                                                                                 \
        Output out = {data, m, n, stride, group, type, alpha};                                                        \
        large<T, ACROSS>(fault, &a, &b, out, steps, rows, cols, groups, a_step, b_step);                              \
    }
