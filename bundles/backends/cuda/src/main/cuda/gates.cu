// What lies between the convolution and the gated delta rule.
#include "rms.cuh"
#include "gates.cuh"

KERNEL gdn_g_beta(Fault* fault, float* g, float* beta, const void* a, int a_type, i64 a_stride, const void* b, int b_type,
                  i64 b_stride, const void* a_log, int log_type, const void* bias, int bias_type, i64 tokens, i64 heads) {
    UNLESS_FAILED(fault);
    Gates gates = {a, a_type, a_stride, b, b_type, b_stride, a_log, log_type, bias, bias_type};
    OVER_GRID(i, tokens * heads) {
        Cell at = cell(i, heads);
        g[i] = gates.g(at.row, at.col);
        beta[i] = gates.beta(at.row, at.col);
    }
}

// A token's row: queries, keys and values of all heads.
struct Mixed {
    const float* x;
    i64 key_heads;
    i64 heads;
    i64 dk;
    i64 dv;

    __device__ inline const float* row(i64 token) const {
        return x + token * (2 * key_heads * dk + heads * dv);
    }
};

// Some heads of queries and keys, each made one of length 1 by the lanes that l2_norm has for it, so with the same bits.
__device__ inline void units(const Mixed& m, i64 token, float* q, float* k, RowShape shape) {
    Lane lane = lane_of_row(shape.lanes);
    bool there = lane.row < 2 * m.key_heads;
    i64 head = lane.row < m.key_heads ? lane.row : lane.row - m.key_heads;
    float* to = (lane.row < m.key_heads ? q : k) + (token * m.key_heads + head) * m.dk;
    const float* from = m.row(token) + lane.row * m.dk;
    i64 n = there ? m.dk : 0;
    if (shape.packed) {
        rms_kept(from, (None*)nullptr, NoWeight(), shape, lane, n, PutRow<f32>{to});
    } else {
        rms_again(from, (None*)nullptr, NoWeight(), shape, lane, n, PutRow<f32>{to});
    }
}

__device__ inline void values(const Mixed& m, i64 token, float* v, int four, i64 block, i64 blocks) {
    i64 n = m.heads * m.dv;
    const float* from = m.row(token) + 2 * m.key_heads * m.dk;
    float* to = v + token * n;
    if (four) {
        for (i64 i = (block * blockDim.x + threadIdx.x) * 4; i < n; i += blocks * blockDim.x * 4) {
            store_words<16>(to + i, load_words<16>(from + i));
        }
    } else {
        for (i64 i = block * blockDim.x + threadIdx.x; i < n; i += blocks * blockDim.x) {
            to[i] = from[i];
        }
    }
}

// Blocks in y have tokens; those in x first queries and keys, then values, the last one the gates.
KERNEL gdn_post_conv(Fault* fault, float* q, float* k, float* v, float* g, float* beta, const float* x, const void* a,
                     int a_type, i64 a_stride, const void* b, int b_type, i64 b_stride, const void* a_log, int log_type,
                     const void* bias, int bias_type, i64 tokens, i64 key_heads, i64 heads, i64 dk, i64 dv, float eps,
                     int lanes, int packed, int four) {
    UNLESS_FAILED(fault);
    Mixed mixed = {x, key_heads, heads, dk, dv};
    Gates gates = {a, a_type, a_stride, b, b_type, b_stride, a_log, log_type, bias, bias_type};
    int together = lanes > 32 ? 1 : blockDim.x / lanes;
    i64 first = (2 * key_heads + together - 1) / together;
    i64 last = gridDim.x - 1;
    for (i64 token = blockIdx.y; token < tokens; token += gridDim.y) {
        if (blockIdx.x < first) {
            units(mixed, token, q, k, RowShape{2 * key_heads, dk, 1.0, eps, lanes, packed});
        } else if (blockIdx.x < last) {
            values(mixed, token, v, four, blockIdx.x - first, last - first);
        } else {
            for (i64 h = threadIdx.x; h < heads; h += blockDim.x) {
                g[token * heads + h] = gates.g(token, h);
                beta[token * heads + h] = gates.beta(token, h);
            }
        }
    }
}
