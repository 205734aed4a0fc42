// rms_norm: a row by a block, or by a part of a warp where rows are short.

#include "rms.cuh"

#define ALONE(IN, OUT) RMS_NORM(rms_norm, None, IN, OUT)

FOR_ALL_TYPES(ALONE)
