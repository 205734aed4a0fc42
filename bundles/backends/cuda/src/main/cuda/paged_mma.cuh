// Paged attention over a cache of bf16 on the matrix units: a block of threads takes a query row, up to 8 or 16 heads that read one
// key/value head, and a part of the tokens. Each warp works on 16 tokens at a time, straight from memory: which columns of a key a
// lane has does not matter as long as it has the same of the query, and likewise with the columns of the values.
#include "matrix.cuh"
#include "paged.cuh"

#define MMA_WARPS 4
#define MMA_TOKENS 16

// A token's place in one number: the id of its block and which of the block it is; below 0 where there is no such token.
__device__ inline i64 token_place(Fault* fault, const Requests& q, int request, int token, int last) {
    if (token >= last) {
        return -1;
    }
    int block = token / q.block_size;
    int id = q.block(fault, request, block);
    return id < 0 ? -1 : (i64)id << 32 | (token - block * q.block_size);
}

struct HeadRows {
    const bf16* base;
    i64 block;
    i64 token;
    int dim;

    // 8 columns of a token, zeros where there are none.
    __device__ Words<16> load(i64 place, int column) const {
        if (place < 0 || column >= dim) {
            return {};
        }
        return load_words<16>(base + (place >> 32) * block + (i64)(int)place * token + column);
    }
};

// The query rows of a warp in parts of bf16, of which PARTS make a number. Row g is head g, row g + 8 is there when FULL.
template <int DIM, int PARTS, bool FULL>
struct QueryRows {
    u32 words[PARTS][DIM / 16][FULL ? 4 : 2];

    __device__ void load(const void* query, int type, i64 head, int live, int dim) {
        if (PARTS == 1 || type == BF16) {
            load((const bf16*)query, head, live, dim);
        } else if (type == F32) {
            load((const f32*)query, head, live, dim);
        } else {
            load((const f16*)query, head, live, dim);
        }
    }

    // All of it is asked for before any of it is looked at.
    template <typename T>
    __device__ void load(const T* query, i64 head, int live, int dim) {
        const int ROWS = FULL ? 2 : 1;
        int lane = threadIdx.x % 32;
        Pack<T, 8> raw[ROWS][DIM / 32];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            int row = lane / 4 + 8 * r;
#pragma unroll
            for (int c = 0; c < DIM / 32; c++) {
                int column = c * 32 + lane % 4 * 8;
                raw[r][c] = {};
                if (row < live && column < dim) {
                    raw[r][c] = load_words<8 * (int)sizeof(T)>(query + (head + row) * dim + column);
                }
            }
        }
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
#pragma unroll
            for (int c = 0; c < DIM / 32; c++) {
                float x[8];
                widen(x, raw[r][c], T());
                cut(x, r, c);
            }
        }
    }

    __device__ void cut(float (&x)[8], int r, int c) {
#pragma unroll
        for (int p = 0; p < PARTS; p++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                u32 word = upper_halves(__float_as_uint(x[2 * i]), __float_as_uint(x[2 * i + 1]));
                words[p][2 * c + i / 2][FULL ? r + i % 2 * 2 : i % 2] = word;
                x[2 * i] = rest_of(x[2 * i]);
                x[2 * i + 1] = rest_of(x[2 * i + 1]);
            }
        }
    }

    __device__ void multiply(float (&c)[4], int part, int step, u32 b0, u32 b1) const {
        if constexpr (FULL) {
            multiply_add(c, words[part][step], b0, b1);
        } else {
            u32 a[4] = {words[part][step][0], 0, words[part][step][1], 0};
            multiply_add(c, a, b0, b1);
        }
    }
};

// The softmax so far: rows g and g + 8 of a warp, columns as multiply_add leaves them.
template <int DIM, bool FULL>
struct WarpSoftmax {
    static const int ROWS = FULL ? 2 : 1;
    float top[ROWS];
    float sum[ROWS];  // Of this lane's tokens.
    float values[DIM / 8][2 * ROWS];

    __device__ WarpSoftmax() {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            top[r] = MINUS_INFINITY;
            sum[r] = 0;
        }
#pragma unroll
        for (int i = 0; i < DIM / 8; i++) {
#pragma unroll
            for (int j = 0; j < 2 * ROWS; j++) {
                values[i][j] = 0;
            }
        }
    }

    // Turns the exponents of 16 tokens into weights.
    __device__ void weigh(float (&score)[2][4]) {
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            float now = fmaxf(fmaxf(score[0][2 * r], score[0][2 * r + 1]), fmaxf(score[1][2 * r], score[1][2 * r + 1]));
            now = fmaxf(now, __shfl_xor_sync(0xffffffffu, now, 1));
            now = fmaxf(now, __shfl_xor_sync(0xffffffffu, now, 2));
            now = fmaxf(now, top[r]);
            if (__any_sync(0xffffffffu, now > top[r])) {
                float factor = weight(top[r], now);
                sum[r] *= factor;
#pragma unroll
                for (int i = 0; i < DIM / 8; i++) {
                    values[i][2 * r] *= factor;
                    values[i][2 * r + 1] *= factor;
                }
                top[r] = now;
            }
#pragma unroll
            for (int n = 0; n < 2; n++) {
#pragma unroll
                for (int i = 2 * r; i < 2 * r + 2; i++) {
                    score[n][i] = weight(score[n][i], top[r]);
                    sum[r] += score[n][i];
                }
            }
        }
    }

    __device__ void multiply(int i, const u32 (&weights)[4], u32 b0, u32 b1) {
        if constexpr (FULL) {
            multiply_add(values[i], weights, b0, b1);
        } else {
            float c[4] = {values[i][0], values[i][1], 0, 0};
            multiply_add(c, weights, b0, b1);
            values[i][0] = c[0];
            values[i][1] = c[1];
        }
    }

    // Adds the values of 16 tokens, times their weights in three parts: a weight keeps all its bits.
    __device__ void add(float (&w)[2][4], const Words<16> (&v)[DIM / 64][4]) {
#pragma unroll
        for (int p = 0; p < 3; p++) {
            u32 weights[4] = {};
#pragma unroll
            for (int n = 0; n < 2; n++) {
#pragma unroll
                for (int r = 0; r < ROWS; r++) {
                    weights[2 * n + r] =
                        upper_halves(__float_as_uint(w[n][2 * r]), __float_as_uint(w[n][2 * r + 1]));
                    w[n][2 * r] = rest_of(w[n][2 * r]);
                    w[n][2 * r + 1] = rest_of(w[n][2 * r + 1]);
                }
            }
#pragma unroll
            for (int c = 0; c < DIM / 64; c++) {
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    u32 halves = j % 2 ? 0x7632 : 0x5410;
                    u32 b0 = __byte_perm(v[c][0].w[j / 2], v[c][1].w[j / 2], halves);
                    u32 b1 = __byte_perm(v[c][2].w[j / 2], v[c][3].w[j / 2], halves);
                    multiply(8 * c + j, weights, b0, b1);
                }
            }
        }
    }
};

template <int DIM, int PARTS, bool FULL>
__device__ inline void attend_warp(Fault* fault, const Requests& q, int request, Range range, const HeadRows& keys,
                                   const HeadRows& values, const QueryRows<DIM, PARTS, FULL>& query, float scale, float cap,
                                   WarpSoftmax<DIM, FULL>& softmax) {
    int lane = threadIdx.x % 32;
    int g = lane / 4;
    int t = lane % 4;
    int first = range.first + threadIdx.x / 32 * MMA_TOKENS;
    i64 next = token_place(fault, q, request, first + lane % MMA_TOKENS, range.last);
    for (int base = first; base < range.last; base += MMA_WARPS * MMA_TOKENS) {
        i64 place = next;
        Words<16> k[2][DIM / 32];
        Words<16> v[DIM / 64][4];
#pragma unroll
        for (int n = 0; n < 2; n++) {
            i64 at = __shfl_sync(0xffffffffu, place, 8 * n + g);
#pragma unroll
            for (int c = 0; c < DIM / 32; c++) {
                k[n][c] = keys.load(at, 32 * c + 8 * t);
            }
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            i64 at = __shfl_sync(0xffffffffu, place, 2 * t + i % 2 + i / 2 * 8);
#pragma unroll
            for (int c = 0; c < DIM / 64; c++) {
                v[c][i] = values.load(at, 64 * c + 8 * g);
            }
        }
        next = token_place(fault, q, request, base + MMA_WARPS * MMA_TOKENS + lane % MMA_TOKENS, range.last);
        float score[2][4];
#pragma unroll
        for (int n = 0; n < 2; n++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                score[n][i] = 0;
            }
#pragma unroll
            for (int p = PARTS - 1; p >= 0; p--) {
#pragma unroll
                for (int c = 0; c < DIM / 32; c++) {
                    query.multiply(score[n], p, 2 * c, k[n][c].w[0], k[n][c].w[1]);
                    query.multiply(score[n], p, 2 * c + 1, k[n][c].w[2], k[n][c].w[3]);
                }
            }
#pragma unroll
            for (int i = 0; i < 2 * WarpSoftmax<DIM, FULL>::ROWS; i++) {
                bool there = base + 8 * n + 2 * t + i % 2 < range.last;
                score[n][i] = there ? exponent(score[n][i], scale, cap) : MINUS_INFINITY;
            }
        }
        softmax.weigh(score);
        softmax.add(score, v);
    }
}

// Joins the warps' results through shared memory and leaves them.
template <int DIM, bool FULL>
__device__ inline void leave_warps(const WarpSoftmax<DIM, FULL>& softmax, const Parts& parts, i64 head, int live, int which) {
    const int HEADS = FULL ? 16 : 8;
    __shared__ float tops[MMA_WARPS][HEADS];
    __shared__ float sums[MMA_WARPS][HEADS];
    __shared__ float all[MMA_WARPS][HEADS][DIM];
    int warp = threadIdx.x / 32;
    int g = threadIdx.x % 32 / 4;
    int t = threadIdx.x % 4;
#pragma unroll
    for (int r = 0; r < WarpSoftmax<DIM, FULL>::ROWS; r++) {
        float sum = softmax.sum[r];
        sum += __shfl_xor_sync(0xffffffffu, sum, 1);
        sum += __shfl_xor_sync(0xffffffffu, sum, 2);
        if (t == 0) {
            tops[warp][8 * r + g] = softmax.top[r];
            sums[warp][8 * r + g] = sum;
        }
#pragma unroll
        for (int c = 0; c < DIM / 64; c++) {
#pragma unroll
            for (int i = 0; i < 2; i++) {
                float* to = &all[warp][8 * r + g][64 * c + 16 * t + 8 * i];
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    to[j] = softmax.values[8 * c + j][2 * r + i];
                }
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < live * parts.dim; i += blockDim.x) {
        int h = i / parts.dim;
        int column = i % parts.dim;
        float top = MINUS_INFINITY;
        for (int w = 0; w < MMA_WARPS; w++) {
            top = fmaxf(top, tops[w][h]);
        }
        float sum = 0;
        float value = 0;
        for (int w = 0; w < MMA_WARPS; w++) {
            float factor = weight(tops[w][h], top);
            sum += sums[w][h] * factor;
            value += all[w][h][column] * factor;
        }
        parts.values(head + h, which)[column] = value;
        if (column == 0) {
            parts.leave(head + h, which, top, sum);
        }
    }
}

template <int DIM, int PARTS, bool FULL>
__device__ inline void attend_heads(Fault* fault, const Requests& q, float* memory, const void* query, int query_type, int heads,
                                    int kv_heads, int dim, const bf16* k, const bf16* v, i64 k_block, i64 v_block, float scale,
                                    float cap) {
    const int HEADS = FULL ? 16 : 8;
    if (blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0) {
        check_requests(fault, q);
    }
    int row = blockIdx.x;
    int chunks = gridDim.y / kv_heads;
    int kv_head = blockIdx.y / chunks;
    int group = heads / kv_heads;
    int from = blockIdx.y % chunks * HEADS;
    int live = min(HEADS, group - from);
    i64 head = (i64)row * heads + kv_head * group + from;
    int which = blockIdx.z;
    Parts parts(memory, q.rows, heads, gridDim.z, dim);
    int request = q.owner(row);
    Range all = request < 0 ? Range{0, 0} : seen(q, request, row);
    Range range = part(all, gridDim.z, which, 32);
    if (range.first >= range.last) {
        if (threadIdx.x < live) {
            parts.leave(head + threadIdx.x, which, MINUS_INFINITY,
                        request < 0 ? NOBODY : all.first >= all.last ? NOTHING : 0.0f);
        }
        return;
    }
    HeadRows keys = {k + (i64)kv_head * dim, k_block, (i64)kv_heads * dim, dim};
    HeadRows values = {v + (i64)kv_head * dim, v_block, (i64)kv_heads * dim, dim};
    QueryRows<DIM, PARTS, FULL> rows;
    rows.load(query, query_type, head, live, dim);
    WarpSoftmax<DIM, FULL> softmax;
    attend_warp(fault, q, request, range, keys, values, rows, scale, cap, softmax);
    leave_warps<DIM, FULL>(softmax, parts, head, live, which);
}

// BLOCKS of threads are to run on a multiprocessor at once.
#define PAGED_MMA(NAME, DIM, PARTS, FULL, BLOCKS)                                                                                        \
    KERNEL __launch_bounds__(128, BLOCKS) NAME(Fault* fault, float* parts, const void* query, int query_type, int heads, int kv_heads,   \
                                       int dim, const bf16* k, const bf16* v, i64 k_block, i64 v_block, const int* table,        \
                                       int width, int blocks, int block_size, const int* lengths, const int* starts,             \
                                       int requests, int rows, float scale, float cap, int causal, int window, int sites) {      \
        UNLESS_FAILED(fault);                                                                                                    \
        Requests q = {starts, lengths, table, requests, width, blocks, block_size, rows, causal, window, {sites}};               \
        attend_heads<DIM, PARTS, FULL>(fault, q, parts, query, query_type, heads, kv_heads, dim, k, v, k_block, v_block, scale,  \
                                       cap);                                                                                     \
    }
