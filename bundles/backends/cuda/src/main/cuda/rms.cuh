// Root mean square normalisation of rows, for the kernels that differ in what they read and in what they make of the result.

#include "rows.cuh"
#include "flat.cuh"
#include "activation.cuh"
#include "fp8.cuh"

// No residual is added.
struct None {};

// v * inverse * the weight.
struct RmsWeight {
    const void* p;
    int type;
    int gemma;

    __device__ void whole(float (&v)[UNIT], i64 i, float inverse) const {
        float w[UNIT];
        load_pack(w, p, type, i);
        apply(v, w, inverse);
    }
    __device__ void some(float (&v)[UNIT], i64 i, i64 left, float inverse) const {
        float w[UNIT];
        load_some(w, p, type, i, left);
        apply(v, w, inverse);
    }
    __device__ void apply(float (&v)[UNIT], const float (&w)[UNIT], float inverse) const {
#pragma unroll
        for (int k = 0; k < UNIT; k++) {
            v[k] = v[k] * inverse * (gemma ? w[k] + 1.0f : w[k]);
        }
    }
};

// v * inverse.
struct NoWeight {
    __device__ void whole(float (&v)[UNIT], i64, float inverse) const {
#pragma unroll
        for (int k = 0; k < UNIT; k++) {
            v[k] *= inverse;
        }
    }
    __device__ void some(float (&v)[UNIT], i64 i, i64, float inverse) const {
        whole(v, i, inverse);
    }
};

struct RowShape {
    i64 rows;
    i64 n;
    double share;
    float eps;
    int lanes;
    int packed;
};

// A unit of x, to which the residual is added, rounded and written back.
template <typename In>
__device__ inline Pack<In, UNIT> joined(const Pack<In, UNIT>& x, None*, const Pack<In, UNIT>&) {
    return x;
}

template <typename In, typename R>
__device__ inline Pack<R, UNIT> joined(const Pack<In, UNIT>& x, R* residual, const Pack<R, UNIT>& old) {
    float v[UNIT];
    float r[UNIT];
    widen(v, x, In());
    widen(r, old, R());
#pragma unroll
    for (int k = 0; k < UNIT; k++) {
        v[k] += r[k];
    }
    Pack<R, UNIT> sum = narrow(v, R());
    store_words(residual, sum);
    return sum;
}

// What is normalised: x itself, or the residual.
template <typename In, typename R>
struct Normalised {
    using Type = R;
};
template <typename In>
struct Normalised<In, None> {
    using Type = In;
};

// Whole units, few enough to stay in registers: memory is read once.
template <typename In, typename R, typename W, typename Put>
__device__ inline void rms_kept(const In* x, R* residual, W weight, RowShape s, Lane lane, i64 n, Put put) {
    using Type = typename Normalised<In, R>::Type;
    Pack<In, UNIT> in[KEPT];
    Pack<Type, UNIT> v[KEPT];
#pragma unroll
    for (int u = 0; u < KEPT; u++) {
        i64 i = (i64)(lane.at + u * lane.of) * UNIT;
        if (i < n) {
            in[u] = load_words<sizeof(In) * UNIT>(x + i);
            if constexpr (sizeof(R) > 1) {
                v[u] = load_words<sizeof(R) * UNIT>(residual + i);
            }
        }
    }
    double sum = 0;
#pragma unroll
    for (int u = 0; u < KEPT; u++) {
        i64 i = (i64)(lane.at + u * lane.of) * UNIT;
        if (i < n) {
            v[u] = joined<In>(in[u], sizeof(R) > 1 ? residual + i : residual, v[u]);
            float w[UNIT];
            widen(w, v[u], Type());
            sum += squares(w);
        }
    }
    float inverse = inverse_root(__dadd_rn(row_sum<0>(sum, lane.of) * s.share, s.eps));
#pragma unroll
    for (int u = 0; u < KEPT; u++) {
        i64 i = (i64)(lane.at + u * lane.of) * UNIT;
        if (i < n) {
            float y[UNIT];
            widen(y, v[u], Type());
            weight.whole(y, i, inverse);
            put.whole(i, y);
        }
    }
}

// Any row, element by element; the second pass reads memory again.
template <typename In, typename R, typename W, typename Put>
__device__ inline void rms_again(const In* x, R* residual, W weight, RowShape s, Lane lane, i64 n, Put put) {
    double sum = 0;
    i64 step = (i64)lane.of * UNIT;
    float v[UNIT];
    for (i64 i = (i64)lane.at * UNIT; i < n; i += step) {
        load_some(v, x + i, n - i);
        if constexpr (sizeof(R) > 1) {
            float r[UNIT];
            load_some(r, residual + i, n - i);
#pragma unroll
            for (int k = 0; k < UNIT; k++) {
                v[k] += r[k];
            }
            store_some(residual + i, v, n - i);
            round_to(v, R());
        }
        sum += squares(v);
    }
    float inverse = inverse_root(__dadd_rn(row_sum<0>(sum, lane.of) * s.share, s.eps));
    for (i64 i = (i64)lane.at * UNIT; i < n; i += step) {
        if constexpr (sizeof(R) > 1) {
            load_some(v, residual + i, n - i);
        } else {
            load_some(v, x + i, n - i);
        }
        weight.some(v, i, n - i, inverse);
        put.some(i, v, n - i);
    }
}

template <typename In, typename R, typename W, typename Put>
__device__ inline void rms_norm(const In* x, R* residual, W weight, RowShape s, Put put) {
    Lane lane = lane_of_row(s.lanes);
    i64 n = lane.row < s.rows ? s.n : 0;
    i64 from = lane.row * s.n;
    put.row(lane.row, s.n);
    R* r = sizeof(R) > 1 ? residual + from : residual;
    if (s.packed) {
        rms_kept(x + from, r, weight, s, lane, n, put);
    } else {
        rms_again(x + from, r, weight, s, lane, n, put);
    }
}

// The result as it is.
template <typename Out>
struct PutRow {
    Out* out;

    __device__ void row(i64 row, i64 n) {
        out += row * n;
    }
    __device__ void whole(i64 i, const float (&v)[UNIT]) const {
        store_pack(out + i, v);
    }
    __device__ void some(i64 i, const float (&v)[UNIT], i64 left) const {
        store_some(out + i, v, left);
    }
};

// A kernel that stores the result as it is.
#define RMS_NORM(NAME, R, IN, OUT)                                                                              \
    KERNEL NAME##_##IN##_##OUT(Fault* fault, OUT* out, const IN* x, const void* weight, int weight_type,        \
                               void* residual, i64 rows, i64 n, double share, float eps, int lanes, int packed, \
                               int gemma) {                                                                     \
        UNLESS_FAILED(fault);                                                                                   \
        rms_norm(x, (R*)residual, RmsWeight{weight, weight_type, gemma},                                        \
                 RowShape{rows, n, share, eps, lanes, packed}, PutRow<OUT>{out});                               \
    }

// The result times the activation of a gate, whose rows lie in groups: so many dense rows, then the next at a stride.
template <typename Next>
struct PutGated {
    Next next;
    const void* gate;
    int type;
    int sigmoids;
    i64 rows;
    i64 stride;
    i64 from;

    __device__ void row(i64 row, i64 n) {
        next.row(row, n);
        Cell at = cell(row, rows);
        from = at.row * stride + at.col * n;
    }
    __device__ void whole(i64 i, float (&v)[UNIT]) const {
        float z[UNIT];
        load_pack(z, gate, type, from + i);
        apply(v, z);
        next.whole(i, v);
    }
    __device__ void some(i64 i, float (&v)[UNIT], i64 left) const {
        float z[UNIT];
        load_some(z, gate, type, from + i, left);
        apply(v, z);
        next.some(i, v, left);
    }
    __device__ void apply(float (&v)[UNIT], const float (&z)[UNIT]) const {
#pragma unroll
        for (int k = 0; k < UNIT; k++) {
            v[k] *= sigmoids ? sigmoid(z[k]) : silu(z[k]);
        }
    }
};

// The result rounded to bf16, divided and rounded to e4m3; the bf16 is kept where there is a place for it.
struct PutFp8 {
    unsigned char* out;
    bf16* copy;
    Divisor by;

    __device__ void row(i64 row, i64 n) {
        out += row * n;
        copy = copy ? copy + row * n : copy;
    }
    __device__ void whole(i64 i, float (&v)[UNIT]) const {
        Pack<bf16, UNIT> rounded = narrow(v, bf16());
        if (copy) {
            store_words(copy + i, rounded);
        }
        widen(v, rounded, bf16());
        store_words(out + i, e4m3_unit(v, by));
    }
    __device__ void some(i64 i, float (&v)[UNIT], i64 left) const {
        if (copy) {
            store_some(copy + i, v, left);
        }
        round_to(v, bf16());
        Words<UNIT> codes = e4m3_unit(v, by);
#pragma unroll
        for (int k = 0; k < UNIT; k++) {
            if (k < left) {
                out[i + k] = (unsigned char)(codes.w[k / 4] >> k % 4 * 8);
            }
        }
    }
};
