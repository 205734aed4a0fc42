// Decoding with latent attention: 16 heads of a request read its rows of the cache together, a part of the tokens each block.
#include "attend_tile.cuh"

struct LatentKeys {
    Matrix keys;
    Matrix values;
    Fault* fault;
    Requests requests;
    int request;
    i64 block;
    int width;

    __device__ i64 key(int i) const {
        int index = i / requests.block_size;
        int id = requests.block(fault, request, index);
        return id < 0 ? -1 : id * block + (i64)(i - index * requests.block_size) * width;
    }
    __device__ i64 value(int) const {
        return 0;
    }
};

template <int NJ>
__device__ inline void leave_row(const TwoRows<NJ>& rows, int r, const Parts& parts, i64 head, int which, float mark) {
    int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < NJ; j++) {
        if (lane + 32 * j < parts.dim) {
            parts.values(head, which)[lane + 32 * j] = rows.values[r][j];
        }
    }
    if (lane == 0) {
        parts.leave(head, which, rows.top[r], mark < 0 ? mark : rows.sum[r]);
    }
}

#define LATENT(NJ)                                                                                                           \
    KERNEL __launch_bounds__(TILE_THREADS)                                                                                   \
        latent_##NJ(Fault* fault, float* scratch, const void* q, const void* cache, int type, int q_packed, int packed,      \
                    i64 block, const int* table, int table_width, int blocks, int block_size, const int* lengths, int count, \
                    int heads, int width, int value_width, float scale, int sites) {                                         \
        DYNAMIC_SHARED(memory);                                                                                              \
        UNLESS_FAILED(fault);                                                                                                \
        int request = blockIdx.x;                                                                                            \
        Requests requests = {nullptr, lengths, table, count, table_width, blocks, block_size, count, 0, 0, {sites}};         \
        if (blockIdx.y == 0 && blockIdx.z == 0 && threadIdx.x == 0 && requests.length(request) != lengths[request]) {        \
            outside(fault, requests.sites.lengths(), request, 0, (i64)table_width * block_size, lengths[request]);           \
        }                                                                                                                    \
        Tile tile(memory, width, value_width, true);                                                                         \
        int first = blockIdx.y * TILE_ROWS;                                                                                  \
        int live = min(TILE_ROWS, heads - first);                                                                            \
        i64 head = (i64)request * heads + first;                                                                             \
        Range all = part({0, requests.length(request)}, gridDim.z, blockIdx.z, TILE_KEYS);                                   \
        TwoRows<NJ> rows;                                                                                                    \
        int own = threadIdx.x / 32 * 2;                                                                                      \
        for (int r = 0; r < 2; r++) {                                                                                        \
            rows.range[r] = own + r < live ? all : Range{0, 0};                                                              \
        }                                                                                                                    \
        fetch_queries(tile, {q, type, q_packed}, head * width, width, live);                                                 \
        LatentKeys source = {{cache, type, packed}, {cache, type, packed}, fault, requests, request, block, width};          \
        attend_tile(rows, tile, source, all, scale, 0.0f);                                                                   \
        for (int r = 0; r < 2; r++) {                                                                                        \
            if (own + r < live) {                                                                                            \
                Parts parts(scratch, count, heads, gridDim.z, value_width);                                                  \
                leave_row(rows, r, parts, head + own + r, blockIdx.z, requests.length(request) == 0 ? NOTHING : 0.0f);       \
            }                                                                                                                \
        }                                                                                                                    \
    }

LATENT(4)
LATENT(8)
LATENT(16)
