// Ops that make each element from one element. Rows of x may be padded; out is dense.

#include "flat.cuh"

struct Relu {
    __device__ explicit Relu(double) {}
    __device__ float operator()(float x) const {
        return x > 0 || x != x ? x : 0;
    }
};

struct Same {
    __device__ explicit Same(double) {}
    __device__ float operator()(float x) const {
        return x;
    }
};

// A factor that is no float is multiplied with in double.
struct Scaled {
    double factor;
    float narrow;
    bool exact;
    __device__ explicit Scaled(double by) : factor(by), narrow((float)by), exact((double)(float)by == by) {}
    __device__ float operator()(float x) const {
        return exact ? x * narrow : (float)(x * factor);
    }
};

struct Capped {
    float cap;
    __device__ explicit Capped(double by) : cap((float)by) {}
    __device__ float operator()(float x) const {
        return cap * tanhf(x / cap);
    }
};

template <typename F, typename In, typename Out>
struct MapBody {
    static constexpr int N = PACK<In, Out>;
    using Loaded = Pack<In, N>;
    Out* out;
    const In* x;
    F f;
    // Packs of a row of x and from row to row, where they differ; else 0.
    i64 cols;
    i64 stride;

    __device__ Loaded load(i64 i) const {
        if (cols != 0) {
            Cell at = cell(i, cols);
            i = at.row * stride + at.col;
        }
        return load_words<sizeof(In) * N>(x + i * N);
    }

    __device__ void finish(i64 i, const Loaded& p) const {
        float v[N];
        widen(v, p, In());
#pragma unroll
        for (int k = 0; k < N; k++) {
            v[k] = f(v[k]);
        }
        store_pack(out + i * N, v);
    }
};

// In packs where addresses and rows allow it.
template <typename F, typename In, typename Out>
__device__ inline void map(Out* out, const In* x, i64 n, i64 cols, i64 stride, F f, int packed) {
    constexpr int N = PACK<In, Out>;
    i64 packs = packed ? n / N : 0;
    bool padded = cols != stride;
    over_packs(packs, MapBody<F, In, Out>{out, x, f, padded ? cols / N : 0, stride / N});
    OVER_GRID(rest, n - packs * N) {
        i64 i = packs * N + rest;
        store(out + i, f(widen(x[padded ? i / cols * stride + i % cols : i])));
    }
}

#define MAP(NAME, F, IN, OUT)                                                                                   \
    KERNEL NAME##_##IN##_##OUT(Fault* fault, OUT* out, const IN* x, i64 n, i64 cols, i64 stride, double value,   \
                               int packed) {                                                                    \
        UNLESS_FAILED(fault);                                                                                   \
        map(out, x, n, cols, stride, F(value), packed);                                                         \
    }

#define MAPS(IN, OUT)                \
    MAP(relu, Relu, IN, OUT)         \
    MAP(cast, Same, IN, OUT)         \
    MAP(mul_scalar, Scaled, IN, OUT) \
    MAP(soft_cap, Capped, IN, OUT)

FOR_ALL_TYPES(MAPS)
