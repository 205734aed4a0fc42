// Large products of bf16: b as [N,K], and as [K,N].

#include "large.cuh"

LARGE(large_bt, bf16, 0)
LARGE(large, bf16, 1)
