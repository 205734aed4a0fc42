// Ops that make each element from two, one in each of two tensors.

#include "flat.cuh"
#include "activation.cuh"

// b has the shape of a, or is a row that repeats.
template <typename B, typename In, typename Out>
struct AddBody {
    static constexpr int N = PACK<In, Out>;
    struct Loaded {
        Pack<In, N> a;
        Pack<B, N> b;
    };
    Out* out;
    const In* a;
    const B* b;
    // Packs of b, where it repeats; else 0.
    i64 period;

    __device__ Loaded load(i64 i) const {
        i64 j = period == 0 ? i : cell(i, period).col;
        return {load_words<sizeof(In) * N>(a + i * N), load_words<sizeof(B) * N>(b + j * N)};
    }

    __device__ void finish(i64 i, const Loaded& p) const {
        float x[N];
        float y[N];
        widen(x, p.a, In());
        widen(y, p.b, B());
#pragma unroll
        for (int k = 0; k < N; k++) {
            x[k] += y[k];
        }
        store_pack(out + i * N, x);
    }
};

template <typename B, typename In, typename Out>
__device__ inline void add(Out* out, const In* a, const B* b, i64 n, i64 period, int packed) {
    constexpr int N = PACK<In, Out>;
    i64 packs = packed ? n / N : 0;
    over_packs(packs, AddBody<B, In, Out>{out, a, b, period == n ? 0 : period / N});
    OVER_GRID(rest, n - packs * N) {
        i64 i = packs * N + rest;
        store(out + i, widen(a[i]) + widen(b[period == n ? i : i % period]));
    }
}

#define ADD(IN, OUT)                                                                                              \
    KERNEL add_##IN##_##OUT(Fault* fault, OUT* out, const IN* a, const void* b, int b_type, i64 n, i64 period,     \
                            int packed) {                                                                         \
        UNLESS_FAILED(fault);                                                                                     \
        switch (b_type) {                                                                                         \
            case F32:                                                                                             \
                add(out, a, (const f32*)b, n, period, packed);                                                    \
                break;                                                                                            \
            case F16:                                                                                             \
                add(out, a, (const f16*)b, n, period, packed);                                                    \
                break;                                                                                            \
            default:                                                                                              \
                add(out, a, (const bf16*)b, n, period, packed);                                                   \
        }                                                                                                         \
    }

FOR_ALL_TYPES(ADD)

// silu of one tensor times another, whose type is an argument.
template <typename In, typename Out>
struct SiluMulBody {
    static constexpr int N = PACK<In, Out>;
    struct Loaded {
        Pack<In, N> gate;
        float up[N];
    };
    Out* out;
    const In* gate;
    const void* up;
    int up_type;

    __device__ Loaded load(i64 i) const {
        Loaded r;
        r.gate = load_words<sizeof(In) * N>(gate + i * N);
        load_pack(r.up, up, up_type, i * N);
        return r;
    }

    __device__ void finish(i64 i, const Loaded& p) const {
        float x[N];
        widen(x, p.gate, In());
#pragma unroll
        for (int k = 0; k < N; k++) {
            x[k] = silu(x[k]) * p.up[k];
        }
        store_pack(out + i * N, x);
    }
};

#define SILU_MUL(IN, OUT)                                                                                         \
    KERNEL silu_mul_##IN##_##OUT(Fault* fault, OUT* out, const IN* gate, const void* up, int up_type, i64 n,       \
                                 int packed) {                                                                    \
        UNLESS_FAILED(fault);                                                                                     \
        constexpr int N = PACK<IN, OUT>;                                                                          \
        i64 packs = packed ? n / N : 0;                                                                           \
        over_packs(packs, SiluMulBody<IN, OUT>{out, gate, up, up_type});                                          \
        OVER_GRID(rest, n - packs * N) {                                                                          \
            i64 i = packs * N + rest;                                                                             \
            store(out + i, silu(widen(gate[i])) * load(up, up_type, i));                                          \
        }                                                                                                         \
    }

FOR_ALL_TYPES(SILU_MUL)

// Rows times a vector, in place.
struct ColumnsBody {
    struct Loaded {
        Pack<f32, 4> x;
        Pack<f32, 4> by;
    };
    f32* x;
    const f32* col;
    i64 cols;

    __device__ Loaded load(i64 i) const {
        return {load_words<16>(x + 4 * i), load_words<16>(col + 4 * cell(i, cols).col)};
    }

    __device__ void finish(i64 i, const Loaded& p) const {
        float v[4];
        float w[4];
        widen(v, p.x, f32());
        widen(w, p.by, f32());
#pragma unroll
        for (int k = 0; k < 4; k++) {
            v[k] *= w[k];
        }
        store_pack(x + 4 * i, v);
    }
};

KERNEL mul_col_vec(Fault* fault, f32* x, const f32* col, i64 n, i64 cols, int packed) {
    UNLESS_FAILED(fault);
    i64 packs = packed ? n / 4 : 0;
    over_packs(packs, ColumnsBody{x, col, cols / 4});
    OVER_GRID(rest, n - packs * 4) {
        i64 i = packs * 4 + rest;
        x[i] *= col[i % cols];
    }
}

// Rows times the sigmoid of a number each.
struct RowGateBody {
    struct Loaded {
        Pack<f32, 4> x;
        float gate;
    };
    bf16* out;
    const f32* x;
    const f32* gates;
    i64 cols;

    __device__ Loaded load(i64 i) const {
        return {load_words<16>(x + 4 * i), gates[cell(i, cols).row]};
    }

    __device__ void finish(i64 i, const Loaded& p) const {
        float v[4];
        widen(v, p.x, f32());
#pragma unroll
        for (int k = 0; k < 4; k++) {
            v[k] = sigmoid_gated(v[k], p.gate);
        }
        store_pack(out + 4 * i, v);
    }
};

KERNEL shared_expert_gate(Fault* fault, bf16* out, const f32* x, const f32* gates, i64 n, i64 cols, int packed) {
    UNLESS_FAILED(fault);
    i64 packs = packed ? n / 4 : 0;
    over_packs(packs, RowGateBody{out, x, gates, cols / 4});
    OVER_GRID(rest, n - packs * 4) {
        i64 i = packs * 4 + rest;
        store(out + i, sigmoid_gated(x[i], gates[i / cols]));
    }
}
