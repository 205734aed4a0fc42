// Products with weights in the encoding q4_K.
#include "block_product.cuh"

BLOCK_PRODUCT(Q4K)
