// Paged attention on the matrix units: heads of up to 64 and 128 elements, queries of bf16 or of up to three parts of it.
#include "paged_mma.cuh"

PAGED_MMA(paged_mma_64_1_8, 64, 1, false, 4)
PAGED_MMA(paged_mma_64_1_16, 64, 1, true, 4)
PAGED_MMA(paged_mma_64_3_8, 64, 3, false, 3)
PAGED_MMA(paged_mma_64_3_16, 64, 3, true, 3)
PAGED_MMA(paged_mma_128_1_8, 128, 1, false, 3)
PAGED_MMA(paged_mma_128_1_16, 128, 1, true, 2)
PAGED_MMA(paged_mma_128_3_8, 128, 3, false, 2)
PAGED_MMA(paged_mma_128_3_16, 128, 3, true, 1)
