// Products with weights in the encoding q8_0.
#include "block_product.cuh"

BLOCK_PRODUCT(Q8_0)
