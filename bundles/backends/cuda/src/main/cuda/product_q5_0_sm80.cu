// Products with weights in the encoding q5_0.
#include "block_product.cuh"

BLOCK_PRODUCT(Q5_0)
