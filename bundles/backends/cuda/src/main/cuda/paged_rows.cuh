// Paged attention without matrix units: a block of threads takes a query row, up to G heads that read one key/value head, and a
// part of the tokens. LANES threads share a token, with CHUNKS accesses of WIDTH elements each.
#include "vector.cuh"
#include "paged.cuh"

#define ROW_WARPS 4
#define ROW_UNROLL 2

template <typename T, int LANES, int CHUNKS, int WIDTH>
struct Rows {
    static const int ELEMENTS = CHUNKS * WIDTH;
    const T* base;
    i64 block;
    i64 token;
    int dim;
    int lane;

    // Elements of a thread; zeros behind the end of a row.
    struct Raw {
        Pack<T, WIDTH> chunk[CHUNKS];
    };

    __device__ int column(int c) const {
        return (c * LANES + lane) * WIDTH;
    }

    __device__ Raw load(int id, int index) const {
        Raw raw;
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            if (id >= 0 && column(c) < dim) {
                raw.chunk[c] = load_words<WIDTH * (int)sizeof(T)>(base + id * block + index * token + column(c));
            } else {
                raw.chunk[c] = {};
            }
        }
        return raw;
    }

    __device__ static void widened(float (&x)[ELEMENTS], const Raw& raw) {
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) {
            float y[WIDTH];
            widen(y, raw.chunk[c], T());
#pragma unroll
            for (int i = 0; i < WIDTH; i++) {
                x[c * WIDTH + i] = y[i];
            }
        }
    }
};

// The softmax so far of G heads over the tokens that some threads have seen.
template <int G, int ELEMENTS>
struct Softmax {
    float top[G];
    float sum[G];
    float values[G][ELEMENTS];

    __device__ Softmax() {
#pragma unroll
        for (int g = 0; g < G; g++) {
            top[g] = MINUS_INFINITY;
            sum[g] = 0;
#pragma unroll
            for (int i = 0; i < ELEMENTS; i++) {
                values[g][i] = 0;
            }
        }
    }

    __device__ void rescale(int g, float to) {
        float factor = weight(top[g], to);
        top[g] = to;
        sum[g] *= factor;
#pragma unroll
        for (int i = 0; i < ELEMENTS; i++) {
            values[g][i] *= factor;
        }
    }

    // Joins what threads have that are so far apart.
    __device__ void join(int distance) {
#pragma unroll
        for (int g = 0; g < G; g++) {
            rescale(g, fmaxf(top[g], __shfl_xor_sync(0xffffffffu, top[g], distance)));
            sum[g] += __shfl_xor_sync(0xffffffffu, sum[g], distance);
#pragma unroll
            for (int i = 0; i < ELEMENTS; i++) {
                values[g][i] += __shfl_xor_sync(0xffffffffu, values[g][i], distance);
            }
        }
    }
};

// A token's place: the id of its block, below 0 where there is no such token, and which of the block it is.
struct Place {
    int id;
    int index;
};

__device__ inline Place place(Fault* fault, const Requests& q, int request, int token, int last) {
    if (token >= last) {
        return {-1, 0};
    }
    int block = token / q.block_size;
    return {q.block(fault, request, block), token - block * q.block_size};
}

template <typename R, int G, int LANES>
__device__ inline void attend_tokens(Fault* fault, const Requests& q, int request, Range range, const R& keys, const R& values,
                                     const float (&query)[G][R::ELEMENTS], int live, float scale, float cap,
                                     Softmax<G, R::ELEMENTS>& softmax) {
    const int U = ROW_UNROLL;
    const int GROUPS = 32 / LANES * ROW_WARPS;
    int group = threadIdx.x / LANES;
    Place next[U];
#pragma unroll
    for (int u = 0; u < U; u++) {
        next[u] = place(fault, q, request, range.first + u * GROUPS + group, range.last);
    }
    for (int token = range.first; token < range.last; token += U * GROUPS) {
        typename R::Raw k[U];
        typename R::Raw v[U];
        bool there[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            k[u] = keys.load(next[u].id, next[u].index);
            there[u] = next[u].id >= 0;
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            v[u] = values.load(next[u].id, next[u].index);
            next[u] = place(fault, q, request, token + (U + u) * GROUPS + group, range.last);
        }
        float score[U][G];
#pragma unroll
        for (int u = 0; u < U; u++) {
            float x[R::ELEMENTS];
            R::widened(x, k[u]);
#pragma unroll
            for (int g = 0; g < G; g++) {
                score[u][g] = 0;
#pragma unroll
                for (int i = 0; i < R::ELEMENTS; i++) {
                    score[u][g] += query[g][i] * x[i];
                }
            }
        }
#pragma unroll
        for (int d = LANES / 2; d > 0; d >>= 1) {
#pragma unroll
            for (int u = 0; u < U; u++) {
#pragma unroll
                for (int g = 0; g < G; g++) {
                    score[u][g] += __shfl_xor_sync(0xffffffffu, score[u][g], d);
                }
            }
        }
#pragma unroll
        for (int g = 0; g < G; g++) {
            if (g < live) {
                float top = softmax.top[g];
#pragma unroll
                for (int u = 0; u < U; u++) {
                    score[u][g] = there[u] ? exponent(score[u][g], scale, cap) : MINUS_INFINITY;
                    top = fmaxf(top, score[u][g]);
                }
                softmax.rescale(g, top);
#pragma unroll
                for (int u = 0; u < U; u++) {
                    score[u][g] = weight(score[u][g], top);
                    softmax.sum[g] += score[u][g];
                }
            }
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            float x[R::ELEMENTS];
            R::widened(x, v[u]);
#pragma unroll
            for (int g = 0; g < G; g++) {
#pragma unroll
                for (int i = 0; i < R::ELEMENTS; i++) {
                    softmax.values[g][i] += score[u][g] * x[i];
                }
            }
        }
    }
}

// Joins the warps' results through shared memory and leaves them.
template <typename R, int G>
__device__ inline void leave_heads(const Softmax<G, R::ELEMENTS>& softmax, const R& rows, int width, const Parts& parts, i64 head,
                                   int live, int which) {
    __shared__ float tops[ROW_WARPS][G];
    __shared__ float sums[ROW_WARPS][G];
    __shared__ float all[ROW_WARPS][G][256];
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (lane == rows.lane) {
#pragma unroll
        for (int g = 0; g < G; g++) {
            if (lane == 0) {
                tops[warp][g] = softmax.top[g];
                sums[warp][g] = softmax.sum[g];
            }
#pragma unroll
            for (int i = 0; i < R::ELEMENTS; i++) {
                int column = rows.column(i / width) + i % width;
                if (column < rows.dim) {
                    all[warp][g][column] = softmax.values[g][i];
                }
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < live * rows.dim; i += blockDim.x) {
        int g = i / rows.dim;
        int column = i % rows.dim;
        float top = MINUS_INFINITY;
        for (int w = 0; w < ROW_WARPS; w++) {
            top = fmaxf(top, tops[w][g]);
        }
        float sum = 0;
        float value = 0;
        for (int w = 0; w < ROW_WARPS; w++) {
            float factor = weight(tops[w][g], top);
            sum += sums[w][g] * factor;
            value += all[w][g][column] * factor;
        }
        parts.values(head + g, which)[column] = value;
        if (column == 0) {
            parts.leave(head + g, which, top, sum);
        }
    }
}

// A thread's elements of some heads' queries; zeros for heads that are not there.
template <typename R, int G, int WIDTH, typename Q>
__device__ inline void load_queries(float (&queries)[G][R::ELEMENTS], const Q* query, const R& rows, i64 head, int live) {
#pragma unroll
    for (int g = 0; g < G; g++) {
#pragma unroll
        for (int i = 0; i < R::ELEMENTS; i++) {
            int column = rows.column(i / WIDTH) + i % WIDTH;
            queries[g][i] = g < live && column < rows.dim ? widen(query[(head + g) * rows.dim + column]) : 0;
        }
    }
}

template <typename T, int LANES, int CHUNKS, int WIDTH, int G>
__device__ inline void attend_row(Fault* fault, const Requests& q, float* memory, const void* query, int query_type, int heads,
                                  int kv_heads, int dim, const T* k, const T* v, i64 k_block, i64 v_block, float scale, float cap) {
    using R = Rows<T, LANES, CHUNKS, WIDTH>;
    if (blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0) {
        check_requests(fault, q);
    }
    int row = blockIdx.x;
    int chunks = gridDim.y / kv_heads;
    int kv_head = blockIdx.y / chunks;
    int group = heads / kv_heads;
    int from = blockIdx.y % chunks * G;
    int live = group - from < G ? group - from : G;
    i64 head = (i64)row * heads + kv_head * group + from;
    int which = blockIdx.z;
    Parts parts(memory, q.rows, heads, gridDim.z, dim);
    int request = q.owner(row);
    Range all = request < 0 ? Range{0, 0} : seen(q, request, row);
    Range range = part(all, gridDim.z, which, 32);
    if (range.first >= range.last) {
        if (threadIdx.x < live) {
            float none = request < 0 ? NOBODY : all.first >= all.last ? NOTHING : 0.0f;
            parts.leave(head + threadIdx.x, which, MINUS_INFINITY, none);
        }
        return;
    }
    int lane = threadIdx.x % LANES;
    R keys = {k + (i64)kv_head * dim, k_block, (i64)kv_heads * dim, dim, lane};
    R values = {v + (i64)kv_head * dim, v_block, (i64)kv_heads * dim, dim, lane};
    float queries[G][R::ELEMENTS];
    if (query_type == F32) {
        load_queries<R, G, WIDTH>(queries, (const f32*)query, keys, head, live);
    } else if (query_type == F16) {
        load_queries<R, G, WIDTH>(queries, (const f16*)query, keys, head, live);
    } else {
        load_queries<R, G, WIDTH>(queries, (const bf16*)query, keys, head, live);
    }
    Softmax<G, R::ELEMENTS> softmax;
    attend_tokens<R, G, LANES>(fault, q, request, range, keys, values, queries, live, scale, cap, softmax);
    for (int d = LANES; d < 32; d <<= 1) {
        softmax.join(d);
    }
    leave_heads<R, G>(softmax, keys, WIDTH, parts, head, live, which);
}

#define PAGED_ROWS(NAME, T, LANES, CHUNKS, WIDTH, G)                                                                              \
    KERNEL __launch_bounds__(128) NAME(Fault* fault, float* parts, const void* query, int query_type, int heads, int kv_heads,    \
                                       int dim, const T* k, const T* v, i64 k_block, i64 v_block, const int* table, int width,    \
                                       int blocks, int block_size, const int* lengths, const int* starts, int requests, int rows, \
                                       float scale, float cap, int causal, int window, int sites) {                               \
        UNLESS_FAILED(fault);                                                                                                     \
        Requests q = {starts, lengths, table, requests, width, blocks, block_size, rows, causal, window, {sites}};                \
        attend_row<T, LANES, CHUNKS, WIDTH, G>(fault, q, parts, query, query_type, heads, kv_heads, dim, k, v, k_block, v_block,  \
                                               scale, cap);                                                                       \
    }

#define PAGED_ROWS_OF(NAME, T, LANES, CHUNKS, WIDTH)        \
    PAGED_ROWS(NAME##_1, T, LANES, CHUNKS, WIDTH, 1)        \
    PAGED_ROWS(NAME##_4, T, LANES, CHUNKS, WIDTH, 4)
