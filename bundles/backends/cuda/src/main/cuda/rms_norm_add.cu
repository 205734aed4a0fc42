// rms_norm of x and a residual, which gets the sum.

#include "rms.cuh"

#define WITH_F32(IN, OUT) RMS_NORM(rms_norm_f32, f32, IN, OUT)
#define WITH_BF16(IN, OUT) RMS_NORM(rms_norm_bf16, bf16, IN, OUT)

FOR_ALL_TYPES(WITH_F32)
FOR_ALL_TYPES(WITH_BF16)
