// Products with weights in the encoding q6_K.
#include "block_product.cuh"

BLOCK_PRODUCT(Q6K)
