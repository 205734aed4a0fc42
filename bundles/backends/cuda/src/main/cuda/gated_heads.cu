// What comes before gated attention: heads of queries and keys are normalised and rotated, gates are split off. The sums are those of
// rms_norm, the rotation is that of rope_from_cache.
#include "rms.cuh"
#include "rotation.cuh"

// A normalised row in shared memory.
struct PutShared {
    float* row;

    __device__ void whole(i64 i, const float (&v)[UNIT]) const {
        some(i, v, UNIT);
    }
    __device__ void some(i64 i, const float (&v)[UNIT], i64 left) const {
#pragma unroll
        for (int k = 0; k < UNIT; k++) {
            if (k < left) {
                row[i + k] = v[k];
            }
        }
    }
};

// The first elements of a row by the angles of its token, the others as they are.
__device__ inline void put_rotated(float* out, const float* row, const float* angles, int rotary, Lane lane, i64 n) {
    int pairs = rotary / 2;
    for (i64 i = lane.at; i < n; i += lane.of) {
        if (i >= rotary) {
            out[i] = row[i];
        } else if (i < pairs) {
            out[i] = rotated_first(row[i], row[pairs + i], angles[i], angles[pairs + i]);
            out[pairs + i] = rotated_second(row[i], row[pairs + i], angles[i], angles[pairs + i]);
        }
    }
}

// A row is a head of a token's query, then of its key.
#define GATED_HEADS(IN)                                                                                                       \
    KERNEL gated_heads_##IN(Fault* fault, float* q_out, float* k_out, float* gate_out, const IN* merged, const IN* keys,      \
                            const void* q_weight, int q_type, const void* k_weight, int k_type, const float* angles,          \
                            int rotary, int q_heads, int k_heads, i64 rows, i64 n, double share, float eps, int lanes,        \
                            int packed) {                                                                                     \
        DYNAMIC_SHARED(shared);                                                                                               \
        UNLESS_FAILED(fault);                                                                                                 \
        Lane lane = lane_of_row(lanes);                                                                                       \
        int heads = q_heads + k_heads;                                                                                        \
        i64 token = lane.row / heads;                                                                                         \
        int head = (int)(lane.row - token * heads);                                                                           \
        bool query = head < q_heads;                                                                                          \
        i64 at = query ? token * q_heads + head : token * k_heads + head - q_heads;                                           \
        const IN* from = query ? merged + 2 * at * n : keys + at * n;                                                         \
        i64 own = lane.row < rows ? n : 0;                                                                                    \
        PutShared put = {(float*)shared + (lanes > 32 ? 0 : threadIdx.x / lanes) * ((n + UNIT - 1) / UNIT * UNIT)};           \
        RmsWeight weight = {query ? q_weight : k_weight, query ? q_type : k_type, 1};                                         \
        RowShape shape = {rows, n, share, eps, lanes, packed};                                                                \
        if (packed) {                                                                                                         \
            rms_kept<IN>(from, (None*)nullptr, weight, shape, lane, own, put);                                                \
        } else {                                                                                                              \
            rms_again<IN>(from, (None*)nullptr, weight, shape, lane, own, put);                                               \
        }                                                                                                                     \
        __syncthreads();                                                                                                      \
        if (own > 0) {                                                                                                        \
            put_rotated((query ? q_out : k_out) + at * n, put.row, angles + token * rotary, rotary, lane, n);                 \
            for (i64 i = lane.at; query && i < n; i += lane.of) {                                                             \
                gate_out[at * n + i] = widen(from[n + i]);                                                                    \
            }                                                                                                                 \
        }                                                                                                                     \
    }

GATED_HEADS(f32)
GATED_HEADS(f16)
GATED_HEADS(bf16)
