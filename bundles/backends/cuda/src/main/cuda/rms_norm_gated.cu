// Normalisations of heads: by the root of the sum of squares, and by the mean with a gate.

#include "rms.cuh"

#define L2_NORM(IN, OUT)                                                                                        \
    KERNEL l2_norm_##IN##_##OUT(Fault* fault, OUT* out, const IN* x, i64 rows, i64 n, double share, float eps,   \
                                int lanes, int packed) {                                                        \
        UNLESS_FAILED(fault);                                                                                   \
        rms_norm(x, (None*)nullptr, NoWeight(), RowShape{rows, n, share, eps, lanes, packed}, PutRow<OUT>{out}); \
    }

FOR_ALL_TYPES(L2_NORM)

#define RMS_NORM_GATED(IN, OUT)                                                                                     \
    KERNEL rms_norm_gated_##IN##_##OUT(Fault* fault, OUT* out, const IN* x, const void* weight, int weight_type,     \
                                       const void* gate, int gate_type, int sigmoids, i64 group, i64 stride,        \
                                       i64 rows, i64 n, double share, float eps, int lanes, int packed) {           \
        UNLESS_FAILED(fault);                                                                                       \
        rms_norm(x, (None*)nullptr, RmsWeight{weight, weight_type, 0}, RowShape{rows, n, share, eps, lanes, packed}, \
                 PutGated<PutRow<OUT>>{{out}, gate, gate_type, sigmoids, group, stride, 0});                        \
    }

FOR_ALL_TYPES(RMS_NORM_GATED)
