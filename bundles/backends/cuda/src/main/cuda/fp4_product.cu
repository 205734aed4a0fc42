// Products with nvfp4 weights, and of two nvfp4 matrices. A warp makes some rows of a column; codes are decoded once for them.
#include "groups.cuh"

template <int R, class Left, class Right>
__device__ inline void rows_product(void* out, int type, const Left& left, const Right& right, i64 m, i64 n, i64 groups, float alpha) {
    i64 column = (i64)blockIdx.x * 8 + threadIdx.x / 32;
    i64 first = (i64)blockIdx.y * R;
    if (column >= n) {
        return;
    }
    i64 rows[R];
#pragma unroll
    for (int r = 0; r < R; r++) {
        rows[r] = first + r < m ? first + r : m - 1;
    }
    float sum[R] = {};
    warp_products<R>(sum, left, rows, right, column, groups);
#pragma unroll
    for (int r = 0; r < R; r++) {
        if (threadIdx.x % 32 == 0 && first + r < m) {
            save(out, type, (first + r) * n + column, sum[r] * alpha);
        }
    }
}

#define NVFP4_WEIGHTS(R)                                                                                                             \
    KERNEL __launch_bounds__(256) nvfp4_weights_##R(Fault* fault, void* out, int out_type, const void* act, int type, const u8* packed, \
                                                    const u8* scale, float scale2, i64 m, i64 n, i64 k) {                            \
        UNLESS_FAILED(fault);                                                                                                        \
        rows_product<R>(out, out_type, FloatRows{act, type, k}, Nvfp4Rows{{packed, scale, k / GROUP, 0}, scale2}, m, n, k / GROUP, 1); \
    }

NVFP4_WEIGHTS(1)
NVFP4_WEIGHTS(8)

// Alpha is the number on the device where there is one.
#define FP4_BOTH(R)                                                                                                               \
    KERNEL __launch_bounds__(256) fp4_both_##R(Fault* fault, void* out, int type, const u8* a, const u8* a_scale, const u8* b,    \
                                               const u8* b_scale, int swizzled, float alpha, const float* device_alpha, i64 m,    \
                                               i64 n, i64 groups) {                                                               \
        UNLESS_FAILED(fault);                                                                                                     \
        float factor = device_alpha == nullptr ? alpha : *device_alpha;                                                           \
        rows_product<R>(out, type, Fp4Rows{a, a_scale, groups, swizzled}, Fp4Rows{b, b_scale, groups, swizzled}, m, n, groups, factor); \
    }

FP4_BOTH(1)
FP4_BOTH(8)
