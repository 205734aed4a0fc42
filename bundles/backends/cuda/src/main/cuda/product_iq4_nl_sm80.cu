// Products with weights in the encoding iq4_nl.
#include "block_product.cuh"

BLOCK_PRODUCT(Iq4Nl)
