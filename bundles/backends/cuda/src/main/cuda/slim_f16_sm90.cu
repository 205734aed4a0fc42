// Products of f16 with few rows of a: b as [N,K], and as [K,N].

#include "slim.cuh"

SLIM(slim_bt_8, f16, 8, 0)
SLIM(slim_8, f16, 8, 1)
SLIM(slim_bt_16, f16, 16, 0)
SLIM(slim_16, f16, 16, 1)
SLIM(slim_bt_32, f16, 32, 0)
SLIM(slim_32, f16, 32, 1)
SLIM(slim_bt_64, f16, 64, 0)
SLIM(slim_64, f16, 64, 1)
