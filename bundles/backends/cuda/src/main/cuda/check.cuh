// Integer operands: reading them, and finding what lies outside its bounds before anything is written.

__device__ inline i64 integer(const void* p, int wide, i64 i) {
    return wide ? ((const i64*)p)[i] : ((const int*)p)[i];
}

// Whether all of n integers lie in low..high; all threads of a block call it and get the same. One block reports the first that
// does not.
__device__ inline bool all_inside(Fault* fault, const void* values, int wide, i64 n, i64 low, i64 high, int site,
                                  bool reports) {
    __shared__ unsigned long long first;
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
    i64 wrong = (i64)first;
    if (wrong < n && reports && threadIdx.x == 0) {
        outside(fault, site, wrong, low, high, integer(values, wide, wrong));
    }
    return wrong >= n;
}

// Bounds of sequences: none goes back, none lies behind the rows. One block.
__device__ inline void check_bounds(Fault* fault, const int* starts, int count, int rows, int site) {
    __shared__ int wrong;
    if (threadIdx.x == 0) {
        wrong = count;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        if (starts[i] < (i == 0 ? 0 : starts[i - 1]) || starts[i] > rows) {
            atomicMin(&wrong, i);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && wrong < count) {
        outside(fault, site, wrong, wrong == 0 ? 0 : starts[wrong - 1], rows, starts[wrong]);
    }
    __syncthreads();
}
