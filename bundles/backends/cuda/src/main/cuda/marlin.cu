// Products of an expert layer with weights in Marlin's order. A block has one block of rows and 32 columns.
#include "check.cuh"
#include "groups.cuh"

// Sites are those of the count, the experts and the rows, one behind the other.
KERNEL __launch_bounds__(1024) check_marlin(Fault* fault, const int* ids, i64 given, const int* expert_ids, const int* padded, int block_size,
                                            i64 experts, int site) {
    UNLESS_FAILED(fault);
    bool right = all_inside(fault, padded, 0, 1, 0, given, site, true);
    __syncthreads();
    i64 count = padded[0];
    if (right && count % block_size != 0) {
        right = false;
        if (threadIdx.x == 0) {
            i64 whole = count - count % block_size;
            outside(fault, site, 0, whole, whole, count);
        }
    }
    if (right) {
        right = all_inside(fault, expert_ids, 0, count / block_size, -1, experts - 1, site + 1, true);
        __syncthreads();
    }
    if (right) {
        all_inside(fault, ids, 0, count, 0, 0x7fffffff, site + 2, true);
    }
}

KERNEL __launch_bounds__(256) marlin(Fault* fault, bf16* out, const bf16* act, const u32* packed, const u8* scale, const float* scale2,
                                     const int* ids, const int* expert_ids, const int* padded, const float* weights, int block_size, int top_k,
                                     i64 rows, i64 n, i64 k) {
    UNLESS_FAILED(fault);
    i64 block = blockIdx.y;
    if (block * block_size >= padded[0]) {
        return;
    }
    i64 expert = expert_ids[block];
    i64 groups = k / GROUP;
    i64 column = (i64)blockIdx.x * 32 + threadIdx.x % 32;
    const int* own = ids + block * block_size;
    for (int i = 0; i < block_size; i += 8) {
        i64 acts[8];
        bool any = false;
#pragma unroll
        for (int r = 0; r < 8; r++) {
            // Rows from the end of out on are padding.
            bool real = i + r < block_size && own[i + r] < rows;
            acts[r] = real ? own[i + r] / top_k : 0;
            any |= real;
        }
        if (!any) {
            continue;
        }
        float sum = 0;
        if (expert >= 0) {
            MarlinColumns right = {packed + expert * groups * 2 * n, scale + expert * groups * n, n};
            sum = column_product<8>(FloatRows{act, BF16, k}, acts, right, column, groups) * scale2[expert];
        }
        int at = i + (int)threadIdx.x / 32;
        i64 row = at < block_size ? own[at] : rows;
        if (row < rows) {
            store(out + row * n + column, weights == nullptr || expert < 0 ? sum : sum * weights[row]);
        }
    }
}
