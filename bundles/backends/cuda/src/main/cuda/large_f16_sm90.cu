// Large products of f16: b as [N,K], and as [K,N].

#include "large.cuh"

LARGE(large_bt, f16, 0)
LARGE(large, f16, 1)
