// Normalisations, rounded to bf16, then quantised to e4m3.

#include "rms.cuh"

#define RMS_NORM_FP8(NAME, R, IN)                                                                                   \
    KERNEL NAME##_##IN(Fault* fault, unsigned char* out, bf16* copy, float scale, const IN* x, const void* weight,  \
                       int weight_type, void* residual, i64 rows, i64 n, double share, float eps, int lanes,        \
                       int packed, int gemma) {                                                                     \
        UNLESS_FAILED(fault);                                                                                       \
        rms_norm(x, (R*)residual, RmsWeight{weight, weight_type, gemma},                                            \
                 RowShape{rows, n, share, eps, lanes, packed}, PutFp8{out, copy, divisor(scale)});                  \
    }

#define RMS_NORM_GATED_FP8(IN)                                                                                      \
    KERNEL rms_norm_gated_fp8_##IN(Fault* fault, unsigned char* out, float scale, const IN* x, const void* weight,  \
                                   int weight_type, const void* gate, int gate_type, int sigmoids, i64 group,       \
                                   i64 stride, i64 rows, i64 n, double share, float eps, int lanes, int packed) {   \
        UNLESS_FAILED(fault);                                                                                       \
        rms_norm(x, (None*)nullptr, RmsWeight{weight, weight_type, 0}, RowShape{rows, n, share, eps, lanes, packed}, \
                 PutGated<PutFp8>{{out, nullptr, divisor(scale)}, gate, gate_type, sigmoids, group, stride, 0});     \
    }

#define ALL_FP8(IN)                           \
    RMS_NORM_FP8(rms_norm_fp8, None, IN)      \
    RMS_NORM_FP8(rms_norm_fp8_f32, f32, IN)   \
    RMS_NORM_FP8(rms_norm_fp8_bf16, bf16, IN) \
    RMS_NORM_GATED_FP8(IN)

ALL_FP8(f32)
ALL_FP8(f16)
ALL_FP8(bf16)
