// layer_norm: mean first, then the squares of what differs from it.

#include "rows.cuh"

// The sum of a unit: in f32, unless it leaves its range.
__device__ inline double total(const float (&v)[UNIT]) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
        sum += v[k];
    }
    if (fabsf(sum) < 1e30f) {
        return sum;
    }
    double wide = 0;
    for (int k = 0; k < UNIT; k++) {
        wide += v[k];
    }
    return wide;
}

// A mean in two floats. Differences are taken from the upper one, where neighbours of the mean lose nothing; what they are off by
// comes back later.
struct Mean {
    float high;
    float low;

    __device__ explicit Mean(double mean) : high((float)mean), low((float)(mean - (float)mean)) {}

    __device__ void take(float (&v)[UNIT], i64 left) const {
#pragma unroll
        for (int k = 0; k < UNIT; k++) {
            v[k] = k < left ? v[k] - high : 0;
        }
    }
    // 1 over the root of the variance: the mean of the squares of the differences, less the square of their own mean.
    __device__ float inverse(double squares, float eps) const {
        double variance = squares - (double)low * low;
        return inverse_root((variance < 0 ? 0 : variance) + eps);
    }
};

struct Affine {
    const void* weight;
    int weight_type;
    const void* bias;
    int bias_type;

    __device__ void apply(float (&v)[UNIT], i64 i, i64 left, bool packed, Mean mean, float inverse) const {
        float w[UNIT];
        float b[UNIT];
        float shift = -mean.low * inverse;
        fetch(w, weight, weight_type, i, left, packed, 1);
        fetch(b, bias, bias_type, i, left, packed, 0);
#pragma unroll
        for (int k = 0; k < UNIT; k++) {
            v[k] = fmaf(fmaf(v[k], inverse, shift), w[k], b[k]);
        }
    }
    static __device__ void fetch(float (&w)[UNIT], const void* p, int type, i64 i, i64 left, bool packed, float absent) {
        if (p == nullptr) {
#pragma unroll
            for (int k = 0; k < UNIT; k++) {
                w[k] = absent;
            }
        } else if (packed) {
            load_pack(w, p, type, i);
        } else {
            load_some(w, p, type, i, left);
        }
    }
};

// Whole units, few enough to stay in registers: memory is read once.
template <typename In, typename Out>
__device__ inline void layer_kept(Out* out, const In* x, Affine by, Lane lane, i64 n, double share, float eps) {
    Pack<In, UNIT> in[KEPT];
#pragma unroll
    for (int u = 0; u < KEPT; u++) {
        i64 i = (i64)(lane.at + u * lane.of) * UNIT;
        if (i < n) {
            in[u] = load_words<sizeof(In) * UNIT>(x + i);
        }
    }
    double sum = 0;
    float v[UNIT];
#pragma unroll
    for (int u = 0; u < KEPT; u++) {
        if ((i64)(lane.at + u * lane.of) * UNIT < n) {
            widen(v, in[u], In());
            sum += total(v);
        }
    }
    Mean mean(row_sum<0>(sum, lane.of) * share);
    double deviation = 0;
#pragma unroll
    for (int u = 0; u < KEPT; u++) {
        if ((i64)(lane.at + u * lane.of) * UNIT < n) {
            widen(v, in[u], In());
            mean.take(v, UNIT);
            deviation += squares(v);
        }
    }
    float inverse = mean.inverse(row_sum<1>(deviation, lane.of) * share, eps);
#pragma unroll
    for (int u = 0; u < KEPT; u++) {
        i64 i = (i64)(lane.at + u * lane.of) * UNIT;
        if (i < n) {
            widen(v, in[u], In());
            mean.take(v, UNIT);
            by.apply(v, i, UNIT, true, mean, inverse);
            store_pack(out + i, v);
        }
    }
}

// Any row, element by element; later passes read memory again.
template <typename In, typename Out>
__device__ inline void layer_again(Out* out, const In* x, Affine by, Lane lane, i64 n, double share, float eps) {
    i64 first = (i64)lane.at * UNIT;
    i64 step = (i64)lane.of * UNIT;
    double sum = 0;
    float v[UNIT];
    for (i64 i = first; i < n; i += step) {
        load_some(v, x + i, n - i);
        sum += total(v);
    }
    Mean mean(row_sum<0>(sum, lane.of) * share);
    double deviation = 0;
    for (i64 i = first; i < n; i += step) {
        load_some(v, x + i, n - i);
        mean.take(v, n - i);
        deviation += squares(v);
    }
    float inverse = mean.inverse(row_sum<1>(deviation, lane.of) * share, eps);
    for (i64 i = first; i < n; i += step) {
        load_some(v, x + i, n - i);
        mean.take(v, n - i);
        by.apply(v, i, n - i, false, mean, inverse);
        store_some(out + i, v, n - i);
    }
}

#define LAYER_NORM(IN, OUT)                                                                                        \
    KERNEL layer_norm_##IN##_##OUT(Fault* fault, OUT* out, const IN* x, const void* weight, int weight_type,       \
                                   const void* bias, int bias_type, i64 rows, i64 n, double share, float eps,      \
                                   int lanes, int packed) {                                                        \
        UNLESS_FAILED(fault);                                                                                      \
        Lane lane = lane_of_row(lanes);                                                                            \
        i64 from = lane.row * n;                                                                                   \
        i64 own = lane.row < rows ? n : 0;                                                                         \
        Affine by{weight, weight_type, bias, bias_type};                                                           \
        if (packed) {                                                                                              \
            layer_kept(out + from, x + from, by, lane, own, share, eps);                                           \
        } else {                                                                                                   \
            layer_again(out + from, x + from, by, lane, own, share, eps);                                          \
        }                                                                                                          \
    }

FOR_ALL_TYPES(LAYER_NORM)
