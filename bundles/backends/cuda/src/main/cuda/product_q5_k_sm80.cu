// Products with weights in the encoding q5_K.
#include "block_product.cuh"

BLOCK_PRODUCT(Q5K)
