// Paged attention over a cache of bf16: heads of up to 64, 128 and 256 elements, and of any even or odd number.
#include "paged_rows.cuh"

PAGED_ROWS_OF(paged_64, bf16, 8, 1, 8)
PAGED_ROWS_OF(paged_128, bf16, 16, 1, 8)
PAGED_ROWS_OF(paged_256, bf16, 32, 1, 8)
PAGED_ROWS_OF(paged_any, bf16, 32, 8, 1)
