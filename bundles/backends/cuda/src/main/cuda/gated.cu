// An activation of the left half of a row times its right half.

#include "flat.cuh"
#include "activation.cuh"

struct Silu {
    __device__ float operator()(float x) const {
        return silu(x);
    }
};

struct Gelu {
    __device__ float operator()(float x) const {
        return gelu(x);
    }
};

template <typename F, typename In, typename Out>
struct GatedBody {
    static constexpr int N = PACK<In, Out>;
    struct Loaded {
        Pack<In, N> gate;
        Pack<In, N> up;
    };
    Out* out;
    const In* x;
    // Packs of a row of out.
    i64 cols;

    __device__ Loaded load(i64 i) const {
        const In* p = x + (i + cell(i, cols).row * cols) * N;
        return {load_words<sizeof(In) * N>(p), load_words<sizeof(In) * N>(p + cols * N)};
    }

    __device__ void finish(i64 i, const Loaded& p) const {
        float gate[N];
        float up[N];
        widen(gate, p.gate, In());
        widen(up, p.up, In());
#pragma unroll
        for (int k = 0; k < N; k++) {
            gate[k] = F()(gate[k]) * up[k];
        }
        store_pack(out + i * N, gate);
    }
};

template <typename F, typename In, typename Out>
__device__ inline void gated(Out* out, const In* x, i64 n, i64 cols, int packed) {
    if (packed) {
        constexpr int N = PACK<In, Out>;
        over_packs(n / N, GatedBody<F, In, Out>{out, x, cols / N});
        return;
    }
    OVER_GRID(i, n) {
        const In* gate = x + i + i / cols * cols;
        store(out + i, F()(widen(gate[0])) * widen(gate[cols]));
    }
}

#define GATED(NAME, F, IN, OUT)                                                                           \
    KERNEL NAME##_and_mul_##IN##_##OUT(Fault* fault, OUT* out, const IN* x, i64 n, i64 cols, int packed) { \
        UNLESS_FAILED(fault);                                                                             \
        gated<F>(out, x, n, cols, packed);                                                                \
    }

#define ALL_GATED(IN, OUT) GATED(silu, Silu, IN, OUT) GATED(gelu, Gelu, IN, OUT)

FOR_ALL_TYPES(ALL_GATED)
