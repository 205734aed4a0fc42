// Products of f16 with some rows of a: b as [N,K], and as [K,N].

#include "slim.cuh"

SLIM(slim_bt_128, f16, 128, 0)
SLIM(slim_128, f16, 128, 1)
SLIM(slim_bt_256, f16, 256, 0)
SLIM(slim_256, f16, 256, 1)
