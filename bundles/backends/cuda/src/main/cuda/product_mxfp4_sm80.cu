// Products with weights in the encoding mxfp4.
#include "block_product.cuh"

BLOCK_PRODUCT(Mxfp4)
