// Activations. Sums are rounded by themselves, so that a function gives the same bits in whatever kernel it stands.

__device__ inline float silu(float x) {
    return x / __fadd_rn(1.0f, expf(-x));
}

__device__ inline float sigmoid(float x) {
    return 1.0f / __fadd_rn(1.0f, expf(-x));
}

// x times the sigmoid of a gate.
__device__ inline float sigmoid_gated(float x, float gate) {
    return x / __fadd_rn(1.0f, expf(-gate));
}

// The tanh form: x/2 * (1 + tanh(u)) is x / (1 + exp(-2u)).
__device__ inline float gelu(float x) {
    float cubic = fmaf(0.044715f * x * x, x, x);
    return x / __fadd_rn(1.0f, expf(-1.5957691216057307f * cubic));
}
