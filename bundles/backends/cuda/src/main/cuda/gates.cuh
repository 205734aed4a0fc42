// The numbers between a projection and the gated delta rule.
#include "activation.cuh"

// -exp(a_log) * softplus(a + bias). Above 20 a softplus is its argument, to all digits of a float.
__device__ inline float decay_of(float a, float a_log, float bias) {
    float x = __fadd_rn(a, bias);
    float softplus = x > 20.0f ? x : log1pf(expf(x));
    return __fmul_rn(-expf(a_log), softplus);
}

// Gates of all value heads, of any type.
struct Gates {
    const void* a;
    int a_type;
    i64 a_stride;
    const void* b;
    int b_type;
    i64 b_stride;
    const void* a_log;
    int log_type;
    const void* bias;
    int bias_type;

    __device__ inline float g(i64 token, i64 head) const {
        return decay_of(load(a, a_type, token * a_stride + head), load(a_log, log_type, head),
                        load(bias, bias_type, head));
    }

    __device__ inline float beta(i64 token, i64 head) const {
        return sigmoid(load(b, b_type, token * b_stride + head));
    }
};
