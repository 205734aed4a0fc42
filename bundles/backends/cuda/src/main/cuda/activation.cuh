// Activations. Sums are rounded by themselves, so that a function gives the same bits in whatever kernel it stands.

// x / y, off by two units in the last place at most.
__device__ inline float quotient(float x, float y) {
#ifdef VT_ON_HOST
    return x / y;
#else
    float r;
    asm("div.full.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    return r;
#endif
}

__device__ inline float silu(float x) {
    return quotient(x, __fadd_rn(1.0f, expf(-x)));
}

__device__ inline float sigmoid(float x) {
    return quotient(1.0f, __fadd_rn(1.0f, expf(-x)));
}

// x times the sigmoid of a gate.
__device__ inline float sigmoid_gated(float x, float gate) {
    return quotient(x, __fadd_rn(1.0f, expf(-gate)));
}

// The tanh form: x/2 * (1 + tanh(u)) is x / (1 + exp(-2u)).
__device__ inline float gelu(float x) {
    float cubic = fmaf(0.044715f * x * x, x, x);
    return quotient(x, __fadd_rn(1.0f, expf(-1.5957691216057307f * cubic)));
}
