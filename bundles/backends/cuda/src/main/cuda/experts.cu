// Products of rows with the weights of their experts, which lie at addresses. A block has one row, or goes over all rows of one expert.
#include "check.cuh"
#include "groups.cuh"

// Whether the address of each row's expert is one, and a multiple of size; all threads of a block call it. The first expert whose address is
// none is reported.
__device__ inline bool all_there(Fault* fault, const int* ids, i64 p, const i64* addresses, int size, int site) {
    __shared__ u64 first;
    if (threadIdx.x == 0) {
        first = ~0ull;
    }
    __syncthreads();
    for (i64 i = threadIdx.x; i < p; i += blockDim.x) {
        i64 address = addresses[ids[i]];
        if (address <= 0 || address % size != 0) {
            atomicMin(&first, (u64)ids[i]);
        }
    }
    __syncthreads();
    u64 wrong = first;
    if (wrong != ~0ull && threadIdx.x == 0) {
        outside(fault, site, (i64)wrong, size, 0x7fffffffffffffff, addresses[wrong]);
    }
    __syncthreads();
    return wrong == ~0ull;
}

// Sites are those of the ids, the rows, and the two kinds of addresses, one behind the other.
KERNEL __launch_bounds__(1024) check_experts(Fault* fault, const int* ids, const int* map, i64 p, i64 experts, i64 acts, const i64* weights,
                                             const i64* scales, int size, int site) {
    UNLESS_FAILED(fault);
    bool right = all_inside(fault, ids, 0, p, 0, experts - 1, site, true);
    __syncthreads();
    if (right && map != nullptr) {
        right = all_inside(fault, map, 0, p, 0, acts - 1, site + 1, true);
        __syncthreads();
    }
    if (right && all_there(fault, ids, p, weights, size, site + 2) && scales != nullptr) {
        all_there(fault, ids, p, scales, 1, site + 3);
    }
}

// The rows of an expert among 256, in a list that the block shares; their order is of no matter. Threads past this see the same count.
__device__ inline int gather(const int* ids, i64 from, i64 p, int expert, int* list) {
    __shared__ int count;
    __syncthreads();
    if (threadIdx.x == 0) {
        count = 0;
    }
    __syncthreads();
    i64 i = from + threadIdx.x;
    if (threadIdx.x < 256 && i < p && ids[i] == expert) {
        list[atomicAdd(&count, 1)] = (int)threadIdx.x;
    }
    __syncthreads();
    return count;
}

struct Experts {
    void* out;
    int out_type;
    const void* act;
    int type;
    const int* ids;
    const int* map;
    i64 p;
    i64 n;
    i64 k;

    __device__ i64 act_row(i64 row) const {
        return map == nullptr ? row : map[row];
    }
};

// R rows of one expert: list[0] and following, from a first row on.
template <int R>
struct Batch {
    i64 rows[R];
    i64 acts[R];
    int count;

    __device__ Batch(const Experts& e, i64 from, const int* list, int left) : count(left < R ? left : R) {
#pragma unroll
        for (int r = 0; r < R; r++) {
            rows[r] = from + list[r < count ? r : count - 1];
            acts[r] = e.act_row(rows[r]);
        }
    }
};

template <int R, class Weights>
__device__ inline void batch_rows(const Experts& e, const Batch<R>& batch, const Weights& weights) {
    i64 column = (i64)blockIdx.x * 8 + threadIdx.x / 32;
    if (column >= e.n) {
        return;
    }
    float sum[R] = {};
    warp_products<R>(sum, FloatRows{e.act, e.type, e.k}, batch.acts, weights, column, e.k / GROUP);
#pragma unroll
    for (int r = 0; r < R; r++) {
        if (threadIdx.x % 32 == 0 && r < batch.count) {
            save(e.out, e.out_type, batch.rows[r] * e.n + column, sum[r]);
        }
    }
}

template <int R, class Weights>
__device__ inline void batch_columns(const Experts& e, const Batch<R>& batch, const Weights& weights) {
    i64 first = (i64)blockIdx.x * 32;
    i64 column = first + threadIdx.x % 32;
    float sum = column_product<R>(FloatRows{e.act, e.type, e.k}, batch.acts, weights, column < e.n ? column : e.n - 1, (e.k + GROUP - 1) / GROUP);
    int r = threadIdx.x / 32;
#pragma unroll
    for (int i = 0; i < R; i++) {
        if (i == r && i < batch.count && column < e.n) {
            save(e.out, e.out_type, batch.rows[i] * e.n + column, sum);
        }
    }
}

// Calls for the row of this block, or for each 8 rows of its expert.
#define OVER_ROWS(e, single, PRODUCT)                                                  \
    __shared__ int list[256];                                                          \
    if (single) {                                                                      \
        const int here[1] = {(int)blockIdx.y};                                         \
        int expert = e.ids[blockIdx.y];                                                \
        Batch<1> batch(e, 0, here, 1);                                                 \
        PRODUCT(1);                                                                    \
        return;                                                                        \
    }                                                                                  \
    int expert = (int)blockIdx.y;                                                      \
    for (i64 from = 0; from < e.p; from += 256) {                                      \
        int count = gather(e.ids, from, e.p, expert, list);                            \
        for (int i = 0; i < count; i += 8) {                                           \
            Batch<8> batch(e, from, list + i, count - i);                              \
            PRODUCT(8);                                                                \
        }                                                                              \
    }

KERNEL __launch_bounds__(256) experts_nvfp4(Fault* fault, void* out, int out_type, const void* act, int type, const int* ids, const int* map,
                                            i64 p, i64 n, i64 k, int single, const i64* packed, const i64* scales, const float* scale2) {
    UNLESS_FAILED(fault);
    Experts e = {out, out_type, act, type, ids, map, p, n, k};
#define PRODUCT(R)                                                                                                                  \
    batch_rows<R>(e, batch,                                                                                                         \
                  Nvfp4Rows{{(const u8*)(size_t)packed[expert], (const u8*)(size_t)scales[expert], k / GROUP, 0}, scale2[expert]})
    OVER_ROWS(e, single, PRODUCT)
#undef PRODUCT
}

KERNEL __launch_bounds__(256) experts_bf16(Fault* fault, void* out, int out_type, const void* act, int type, const int* ids, const int* map,
                                           i64 p, i64 n, i64 k, int single, const i64* weights) {
    UNLESS_FAILED(fault);
    Experts e = {out, out_type, act, type, ids, map, p, n, k};
#define PRODUCT(R) batch_columns<R>(e, batch, Bf16Columns{(const bf16*)(size_t)weights[expert], k, n})
    OVER_ROWS(e, single, PRODUCT)
#undef PRODUCT
}
