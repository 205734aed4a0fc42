// Products with weights in the encoding q2_K.
#include "block_product.cuh"

BLOCK_PRODUCT(Q2K)
