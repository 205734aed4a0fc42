// Attention over dense tensors: causal over one sequence, and over several with heads of unequal width.
#include "attend_tile.cuh"

// Rows of one head, one after the other.
struct DenseKeys {
    Matrix keys;
    Matrix values;
    i64 first;
    int heads;
    int head;
    int width;
    int value_width;

    __device__ i64 key(int i) const {
        return ((first + i) * heads + head) * width;
    }
    __device__ i64 value(int i) const {
        return ((first + i) * heads + head) * value_width;
    }
};

// A block of threads takes 16 rows of one head: row t sees keys 0..t.
#define ATTENTION(NJ)                                                                                                        \
    KERNEL __launch_bounds__(TILE_THREADS)                                                                                   \
        attention_##NJ(Fault* fault, void* out, int out_type, const void* q, int q_type, int q_packed, const void* k, int k_type, \
                       int k_packed, const void* v, int v_type, int v_packed, int tokens, int heads, int kv_heads, int width,  \
                       float scale) {                                                                                        \
        DYNAMIC_SHARED(memory);                                                                                              \
        UNLESS_FAILED(fault);                                                                                                \
        Tile tile(memory, width, width, false);                                                                              \
        /* The longest rows first. */                                                                                        \
        int first = (gridDim.x - 1 - blockIdx.x) * TILE_ROWS;                                                                \
        int head = blockIdx.y;                                                                                               \
        int live = min(TILE_ROWS, tokens - first);                                                                           \
        i64 at = ((i64)first * heads + head) * width;                                                                        \
        fetch_queries(tile, {q, q_type, q_packed}, at, (i64)heads * width, live);                                            \
        DenseKeys source = {{k, k_type, k_packed}, {v, v_type, v_packed}, 0, kv_heads, head / (heads / kv_heads), width, width}; \
        TwoRows<NJ> rows;                                                                                                    \
        int own = threadIdx.x / 32 * 2;                                                                                      \
        for (int r = 0; r < 2; r++) {                                                                                        \
            rows.range[r] = {0, own + r < live ? first + own + r + 1 : 0};                                                   \
        }                                                                                                                    \
        attend_tile(rows, tile, source, Range{0, first + live}, scale, 0.0f);                                                \
        for (int r = 0; r < 2; r++) {                                                                                        \
            if (own + r < live) {                                                                                            \
                put_row(rows, r, out, out_type, at + (own + r) * (i64)heads * width, width);                                 \
            }                                                                                                                \
        }                                                                                                                    \
    }

ATTENTION(4)
ATTENTION(8)
ATTENTION(16)

KERNEL check_sequences(Fault* fault, const int* queries, int rows, int query_site, const int* keys, int key_rows, int key_site,
                       int count) {
    UNLESS_FAILED(fault);
    check_bounds(fault, queries, count, rows, query_site);
    check_bounds(fault, keys, count, key_rows, key_site);
}

// The tiles of sequence r begin at number starts[r] / 16 + r, so that each has as many as it needs.
__device__ inline int sequence_of_tile(const int* starts, int sequences, int tile) {
    int low = 0;
    int high = sequences;
    while (low + 1 < high) {
        int middle = (low + high) / 2;
        if (starts[middle] / TILE_ROWS + middle <= tile) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

#define SEQUENCES(NJ)                                                                                                        \
    KERNEL __launch_bounds__(TILE_THREADS)                                                                                   \
        sequences_##NJ(Fault* fault, void* out, int out_type, float* lse, const void* q, int q_type, int q_packed, const void* k, \
                       int k_type, int k_packed, const void* v, int v_type, int v_packed, const int* q_starts,                 \
                       const int* k_starts, int sequences, i64 query_rows, int heads, int width, int value_width, float scale, \
                       int causal) {                                                                                         \
        DYNAMIC_SHARED(memory);                                                                                              \
        UNLESS_FAILED(fault);                                                                                                \
        int s = sequence_of_tile(q_starts, sequences, blockIdx.x);                                                           \
        int first = q_starts[s] + ((int)blockIdx.x - q_starts[s] / TILE_ROWS - s) * TILE_ROWS;                               \
        int end = q_starts[s + 1];                                                                                           \
        if (first >= end) {                                                                                                  \
            return;                                                                                                          \
        }                                                                                                                    \
        Tile tile(memory, width, value_width, false);                                                                        \
        int head = blockIdx.y;                                                                                               \
        int live = min(TILE_ROWS, end - first);                                                                              \
        fetch_queries(tile, {q, q_type, q_packed}, ((i64)first * heads + head) * width, (i64)heads * width, live);           \
        DenseKeys source = {{k, k_type, k_packed}, {v, v_type, v_packed}, k_starts[s], heads, head, width, value_width};      \
        int keys = k_starts[s + 1] - k_starts[s];                                                                            \
        TwoRows<NJ> rows;                                                                                                    \
        int own = threadIdx.x / 32 * 2;                                                                                      \
        for (int r = 0; r < 2; r++) {                                                                                        \
            int seen = causal ? keys - (end - 1 - (first + own + r)) : keys;                                                 \
            rows.range[r] = {0, own + r < live ? max(0, seen) : 0};                                                          \
        }                                                                                                                    \
        int most = causal ? keys - (end - (first + live)) : keys;                                                            \
        attend_tile(rows, tile, source, Range{0, most}, scale, 0.0f);                                                        \
        for (int r = 0; r < 2; r++) {                                                                                        \
            if (own + r < live) {                                                                                            \
                i64 row = first + own + r;                                                                                   \
                put_row(rows, r, out, out_type, (row * heads + head) * value_width, value_width);                            \
                if (lse && threadIdx.x % 32 == 0) {                                                                          \
                    lse[head * query_rows + row] =                                                                           \
                        rows.range[r].last <= 0 ? MINUS_INFINITY : log_of_sum(rows.top[r], rows.sum[r]);                     \
                }                                                                                                            \
            }                                                                                                                \
        }                                                                                                                    \
    }

SEQUENCES(4)
SEQUENCES(8)
SEQUENCES(16)
