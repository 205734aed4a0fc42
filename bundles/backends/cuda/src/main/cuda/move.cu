// Ops that move rows.

__device__ inline i64 integer(const void* p, int wide, i64 i) {
    return wide ? ((const i64*)p)[i] : ((const int*)p)[i];
}

// One block looks at all elements before anything is written; the lowest index of a wrong one is reported.
KERNEL check_range(Fault* fault, const void* values, int wide, i64 n, i64 low, i64 high, int site) {
    __shared__ unsigned long long first;
    UNLESS_FAILED(fault);
    if (threadIdx.x == 0) {
        first = (unsigned long long)n;
    }
    __syncthreads();
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
        i64 v = integer(values, wide, i);
        if (v < low || v > high) {
            atomicMin(&first, (unsigned long long)i);
            break;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && (i64)first < n) {
        outside(fault, site, first, low, high, integer(values, wide, first));
    }
}

#define EMBEDDING(IN, OUT)                                                                                       \
    KERNEL embedding_##IN##_##OUT(Fault* fault, OUT* out, const IN* table, const void* ids, int wide, i64 n, i64 cols) { \
        UNLESS_FAILED(fault);                                                                                    \
        OVER_GRID(i, n) {                                                                                        \
            store(out + i, widen(table[integer(ids, wide, i / cols) * cols + i % cols]));                        \
        }                                                                                                        \
    }

FOR_ALL_TYPES(EMBEDDING)

// Columns of qkv to three tensors, as units of their size.
#define QKV_SPLIT(NAME, UNIT)                                                                                  \
    KERNEL NAME(Fault* fault, UNIT* q, UNIT* k, UNIT* v, const UNIT* qkv, i64 n, i64 nq, i64 nk, i64 nv) {      \
        UNLESS_FAILED(fault);                                                                                  \
        i64 width = nq + nk + nv;                                                                              \
        OVER_GRID(i, n) {                                                                                      \
            i64 row = i / width;                                                                               \
            i64 col = i % width;                                                                               \
            if (col < nq) {                                                                                    \
                q[row * nq + col] = qkv[i];                                                                    \
            } else if (col < nq + nk) {                                                                        \
                k[row * nk + col - nq] = qkv[i];                                                               \
            } else {                                                                                           \
                v[row * nv + col - nq - nk] = qkv[i];                                                          \
            }                                                                                                  \
        }                                                                                                      \
    }

QKV_SPLIT(qkv_split_2, u16)
QKV_SPLIT(qkv_split_4, u32)
