// The largest of each row: the lowest index on a tie, and a NaN counts as the largest. One block a row.

struct Best {
    float score;
    i64 index;  // Below 0: nothing yet.
};

// Whether b takes the place of a.
__device__ inline bool beats(Best b, Best a) {
    if (b.index < 0 || a.index < 0) {
        return b.index >= 0;
    }
    bool a_nan = a.score != a.score;
    bool b_nan = b.score != b.score;
    if (a_nan || b_nan) {
        return b_nan && (!a_nan || b.index < a.index);
    }
    return b.score > a.score || (b.score == a.score && b.index < a.index);
}

KERNEL greedy_argmax(Fault* fault, i64* ids, const void* logits, int type, i64 n, i64 stride) {
    __shared__ Best parts[32];
    UNLESS_FAILED(fault);
    i64 row = blockIdx.x * stride;
    Best best = {0, -1};
    for (i64 i = threadIdx.x; i < n; i += blockDim.x) {
        Best next = {load(logits, type, row + i), i};
        if (beats(next, best)) {
            best = next;
        }
    }
    for (int d = 16; d > 0; d >>= 1) {
        Best other = {__shfl_xor_sync(0xffffffffu, best.score, d), __shfl_xor_sync(0xffffffffu, best.index, d)};
        if (beats(other, best)) {
            best = other;
        }
    }
    if ((threadIdx.x & 31) == 0) {
        parts[threadIdx.x >> 5] = best;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x >> 5; w++) {
            if (beats(parts[w], best)) {
                best = parts[w];
            }
        }
        ids[blockIdx.x] = best.index;
    }
}
