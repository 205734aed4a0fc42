// Paged attention over a cache of f32: heads of up to 64, 128 and 256 elements, and of any even or odd number.
#include "paged_rows.cuh"

PAGED_ROWS_OF(paged_64, f32, 16, 1, 4)
PAGED_ROWS_OF(paged_128, f32, 32, 1, 4)
PAGED_ROWS_OF(paged_256, f32, 32, 2, 4)
PAGED_ROWS_OF(paged_any, f32, 32, 8, 1)
