// Products with weights in the encoding q4_0.
#include "block_product.cuh"

BLOCK_PRODUCT(Q4_0)
