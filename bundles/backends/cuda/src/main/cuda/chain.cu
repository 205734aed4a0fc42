// Programs of up to 8 steps on rows. A row's lanes keep to their own units, so that only sums need them all.

#include "rms.cuh"

// Slots: tensors of the call, then temporary rows in shared memory.
enum Slot { X, WEIGHT, RESIDUAL, OUT, TEMPORARY };

// The codes of steps.
enum Step { ADD, MUL, SILU, SIGMOID, RMS_NORM_STEP, SILU_MUL, SIGMOID_GATE };

struct ChainTensor {
    void* p;
    int type;
};

struct ChainRow {
    // Of the first four slots, at this row; the weight has one row.
    ChainTensor tensors[4];
    float* temporaries;
    // Floats from one temporary row of this row to the next.
    i64 apart;
    // A bit for each temporary row that holds bf16.
    int narrow_ones;
    int packed;

    __device__ void get(float (&v)[UNIT], int slot, i64 i, i64 left) const {
        if (slot >= TEMPORARY) {
            load_pack(v, temporaries + (slot - TEMPORARY) * apart + i);
#pragma unroll
            for (int k = 0; k < UNIT; k++) {
                v[k] = k < left ? v[k] : 0;
            }
        } else if (packed) {
            load_pack(v, tensors[slot].p, tensors[slot].type, i);
        } else {
            load_some(v, tensors[slot].p, tensors[slot].type, i, left);
        }
    }

    __device__ void put(float (&v)[UNIT], int slot, i64 i, i64 left) const {
        if (slot >= TEMPORARY) {
            if (narrow_ones >> (slot - TEMPORARY) & 1) {
                round_to(v, bf16());
            }
            store_pack(temporaries + (slot - TEMPORARY) * apart + i, v);
        } else if (packed) {
            store_pack(tensors[slot].p, tensors[slot].type, i, v);
        } else if (tensors[slot].type == F32) {
            store_some((f32*)tensors[slot].p + i, v, left);
        } else {
            store_some((bf16*)tensors[slot].p + i, v, left);
        }
    }
};

__device__ inline float stepped(int code, float a, float b) {
    switch (code) {
        case ADD:
            return __fadd_rn(a, b);
        case MUL:
            return __fmul_rn(a, b);
        case SILU:
            return silu(a);
        case SIGMOID:
            return sigmoid(a);
        case SILU_MUL:
            return __fmul_rn(silu(a), b);
        default:
            return sigmoid_gated(a, b);
    }
}

__device__ inline void elements(const ChainRow& row, int code, int out, int in, int second, Lane lane, i64 n) {
    for (i64 i = (i64)lane.at * UNIT; i < n; i += (i64)lane.of * UNIT) {
        float a[UNIT];
        float b[UNIT];
        row.get(a, in, i, n - i);
        row.get(b, second, i, n - i);
#pragma unroll
        for (int k = 0; k < UNIT; k++) {
            a[k] = stepped(code, a[k], b[k]);
        }
        row.put(a, out, i, n - i);
    }
}

__device__ inline void normalise(const ChainRow& row, int gemma, int out, int in, Lane lane, i64 n, RowShape s) {
    i64 first = (i64)lane.at * UNIT;
    i64 step = (i64)lane.of * UNIT;
    float v[UNIT];
    double sum = 0;
    for (i64 i = first; i < n; i += step) {
        row.get(v, in, i, n - i);
        sum += squares(v);
    }
    float inverse = inverse_root(__dadd_rn(row_sum<0>(sum, lane.of) * s.share, s.eps));
    for (i64 i = first; i < n; i += step) {
        float w[UNIT];
        row.get(v, in, i, n - i);
        row.get(w, WEIGHT, i, n - i);
        RmsWeight{nullptr, 0, gemma}.apply(v, w, inverse);
        row.put(v, out, i, n - i);
    }
    // The next sum of the block may begin.
    __syncthreads();
}

__device__ inline void run(const ChainRow& row, int step, Lane lane, i64 n, RowShape s) {
    int code = step & 15;
    int out = step >> 8 & 15;
    int in = step >> 12 & 15;
    if (code == RMS_NORM_STEP) {
        normalise(row, step >> 4 & 15, out, in, lane, n, s);
    } else {
        elements(row, code, out, in, step >> 16 & 15, lane, n);
    }
}

__device__ inline void* at_row(void* p, int type, i64 elements) {
    return p ? (char*)p + elements * (type == F32 ? 4 : 2) : p;
}

// A step is code | form << 4 | output << 8 | first input << 12 | last input << 16; those from count on are nothing.
KERNEL fused_chain(Fault* fault, void* out, int out_type, void* x, int x_type, void* weight, int weight_type,
                   void* residual, int residual_type, int count, int step0, int step1, int step2, int step3, int step4,
                   int step5, int step6, int step7, int narrow_ones, i64 rows, i64 n, double share, float eps,
                   int lanes, int packed) {
    DYNAMIC_SHARED(shared);
    UNLESS_FAILED(fault);
    Lane lane = lane_of_row(lanes);
    i64 own = lane.row < rows ? n : 0;
    i64 from = lane.row * n;
    i64 units = (n + UNIT - 1) / UNIT * UNIT;
    i64 apart = units * (lanes > 32 ? 1 : blockDim.x / lanes);
    float* temporaries = (float*)shared + (lanes > 32 ? 0 : threadIdx.x / lanes * units);
    ChainRow row{{{at_row(x, x_type, from), x_type},
                  {weight, weight_type},
                  {at_row(residual, residual_type, from), residual_type},
                  {at_row(out, out_type, from), out_type}},
                 temporaries,
                 apart,
                 narrow_ones,
                 packed};
    RowShape s{rows, n, share, eps, lanes, packed};
    int steps[8] = {step0, step1, step2, step3, step4, step5, step6, step7};
    for (int i = 0; i < count; i++) {
        run(row, steps[i], lane, own, s);
    }
}
