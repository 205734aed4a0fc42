// Single logits that two vectors name, by row and by column.

struct Places {
    const int* rows;
    const int* cols;
    i64 count;
};

// One block looks at all of them before anything is written; the lowest index of a wrong one is reported, a row before
// a column. Every thread learns whether there is one.
__device__ inline bool wrong(Fault* fault, Places p, i64 rows, i64 cols, int site) {
    __shared__ u64 first;
    if (threadIdx.x == 0) {
        first = ~0ull;
    }
    __syncthreads();
    for (i64 i = threadIdx.x; i < p.count; i += blockDim.x) {
        if (p.rows[i] < 0 || p.rows[i] >= rows) {
            atomicMin(&first, (u64)i);
        } else if (p.cols[i] < 0 || p.cols[i] >= cols) {
            atomicMin(&first, 1ull << 63 | (u64)i);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && first != ~0ull) {
        bool col = first >> 63;
        i64 i = (i64)(first << 1 >> 1);
        outside(fault, site + col, i, 0, (col ? cols : rows) - 1, col ? p.cols[i] : p.rows[i]);
    }
    return first != ~0ull;
}

KERNEL __launch_bounds__(1024) check_places(Fault* fault, const int* at_rows, const int* at_cols, i64 count, i64 rows, i64 cols, int site) {
    UNLESS_FAILED(fault);
    wrong(fault, {at_rows, at_cols, count}, rows, cols, site);
}

// Places that a block looks through at once.
const int TILE = 2048;

// Each thread has one of them. Of those that name one element the first adds all, in their order. All threads come here.
__device__ inline void add(float* logits, Places p, const float* bias, i64 cols, i64 i) {
    __shared__ u64 tile[TILE];
    u64 own = i < p.count ? (u64)p.rows[i] * cols + p.cols[i] : ~0ull;
    bool first = i < p.count;
    float x = first ? logits[own] + bias[i] : 0.0f;
    for (i64 begin = 0; begin < p.count; begin += TILE) {
        int n = p.count - begin < TILE ? (int)(p.count - begin) : TILE;
        for (int j = threadIdx.x; j < n; j += blockDim.x) {
            tile[j] = (u64)p.rows[begin + j] * cols + p.cols[begin + j];
        }
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < n; j++) {
            if (tile[j] == own) {
                first &= begin + j >= i;
                x += begin + j > i ? bias[begin + j] : 0.0f;
            }
        }
        __syncthreads();
    }
    if (first) {
        logits[own] = x;
    }
}

KERNEL __launch_bounds__(1024) apply_logit_bias(Fault* fault, float* logits, const int* at_rows, const int* at_cols,
                                               const float* bias, i64 count, i64 rows, i64 cols, int site) {
    UNLESS_FAILED(fault);
    Places p = {at_rows, at_cols, count};
    if (site != 0 && wrong(fault, p, rows, cols, site)) {
        return;
    }
    for (i64 i = (i64)blockIdx.x * blockDim.x; i < count; i += (i64)gridDim.x * blockDim.x) {
        add(logits, p, bias, cols, i + threadIdx.x);
    }
}

KERNEL __launch_bounds__(1024) apply_token_mask(Fault* fault, float* logits, const int* at_rows, const int* at_cols, i64 count, i64 rows,
                        i64 cols, int site) {
    UNLESS_FAILED(fault);
    if (site != 0 && wrong(fault, {at_rows, at_cols, count}, rows, cols, site)) {
        return;
    }
    OVER_GRID(i, count) {
        logits[at_rows[i] * cols + at_cols[i]] = __uint_as_float(0xff800000u);
    }
}
