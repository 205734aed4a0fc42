// The rotation of a pair. Products and sums are rounded as they stand here, so that every kernel gives the same bits.
__device__ inline float rotated_first(float a, float b, float cosine, float sine) {
    return fmaf(a, cosine, -__fmul_rn(b, sine));
}

__device__ inline float rotated_second(float a, float b, float cosine, float sine) {
    return fmaf(a, sine, __fmul_rn(b, cosine));
}
