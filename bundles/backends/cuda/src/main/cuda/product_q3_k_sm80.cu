// Products with weights in the encoding q3_K.
#include "block_product.cuh"

BLOCK_PRODUCT(Q3K)
