// Ops that make each element from one or two elements. Rows of x may be padded; out is dense.

template <typename In>
__device__ inline float at(const In* x, i64 i, i64 cols, i64 stride) {
    return widen(x[stride == cols ? i : i / cols * stride + i % cols]);
}

__device__ inline float relu(float x, double) {
    return x > 0 || x != x ? x : 0;
}

__device__ inline float same(float x, double) {
    return x;
}

__device__ inline float scaled(float x, double factor) {
    return (float)(x * factor);
}

__device__ inline float capped(float x, double cap) {
    return (float)(cap * tanh(x / cap));
}

#define MAP(NAME, F, IN, OUT)                                                                                   \
    KERNEL NAME##_##IN##_##OUT(Fault* fault, OUT* out, const IN* x, i64 n, i64 cols, i64 stride, double value) { \
        UNLESS_FAILED(fault);                                                                                   \
        OVER_GRID(i, n) {                                                                                       \
            store(out + i, F(at(x, i, cols, stride), value));                                                   \
        }                                                                                                       \
    }

#define MAPS(IN, OUT)               \
    MAP(relu, relu, IN, OUT)        \
    MAP(cast, same, IN, OUT)        \
    MAP(mul_scalar, scaled, IN, OUT) \
    MAP(soft_cap, capped, IN, OUT)

FOR_ALL_TYPES(MAPS)

// b has the shape of a, or is one row of it; its type is an argument.
#define ADD(IN, OUT)                                                                                          \
    KERNEL add_##IN##_##OUT(Fault* fault, OUT* out, const IN* a, const void* b, int b_type, i64 n, i64 period) { \
        UNLESS_FAILED(fault);                                                                                 \
        OVER_GRID(i, n) {                                                                                     \
            store(out + i, widen(a[i]) + load(b, b_type, period == n ? i : i % period));                      \
        }                                                                                                     \
    }

FOR_ALL_TYPES(ADD)

__device__ inline float silu(float x) {
    return x / (1.0f + expf(-x));
}

// The tanh form.
__device__ inline float gelu(float x) {
    return 0.5f * x * (1.0f + tanhf(0.797884560802865355879892f * (x + 0.044715f * x * x * x)));
}

#define GATED(NAME, IN, OUT)                                                              \
    KERNEL NAME##_and_mul_##IN##_##OUT(Fault* fault, OUT* out, const IN* x, i64 n, i64 cols) { \
        UNLESS_FAILED(fault);                                                             \
        OVER_GRID(i, n) {                                                                 \
            const IN* gate = x + i / cols * 2 * cols + i % cols;                          \
            store(out + i, NAME(widen(gate[0])) * widen(gate[cols]));                     \
        }                                                                                 \
    }

#define ALL_GATED(IN, OUT) GATED(silu, IN, OUT) GATED(gelu, IN, OUT)

FOR_ALL_TYPES(ALL_GATED)
