// Which state the tokens of a call work on. Every block looks at all bounds or slots first, so where one is wrong none
// writes.

// Where one of a row's integers is wrong, and whose turn it is on a slot.
struct Turns {
    u64 wrong;
    u32 earlier;
    u64 next;
};

// For bounds of sequences that lie one after the other: reports the first that is below the one before or above the number
// of tokens. All threads of the block come here.
__device__ inline bool wrong_starts(Fault* fault, const int* starts, i64 sequences, i64 tokens, int site) {
    __shared__ u64 first;
    if (threadIdx.x == 0) {
        first = ~0ull;
    }
    __syncthreads();
    for (i64 r = threadIdx.x; r <= sequences; r += blockDim.x) {
        int low = r == 0 ? 0 : starts[r - 1];
        if (starts[r] < low || starts[r] > tokens) {
            atomicMin(&first, (u64)r);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && first != ~0ull) {
        i64 r = (i64)first;
        outside(fault, site, r, r == 0 ? 0 : starts[r - 1], tokens, starts[r]);
    }
    return first != ~0ull;
}

// For one token a row, each with a slot; a negative one is none. Looks from a row on whether another one has its slot, and
// reports a slot that is not there. All threads of the block come here.
__device__ inline Turns turns(Fault* fault, const int* slots, i64 rows, i64 states, i64 row, int site) {
    __shared__ Turns all;
    if (threadIdx.x == 0) {
        all = {~0ull, 0, ~0ull};
    }
    __syncthreads();
    int own = slots[row];
    for (i64 r = threadIdx.x; r < rows; r += blockDim.x) {
        int slot = slots[r];
        if (slot >= states) {
            atomicMin(&all.wrong, (u64)r);
        }
        if (slot == own && r < row) {
            atomicOr(&all.earlier, 1u);
        }
        if (slot == own && r > row) {
            atomicMin(&all.next, (u64)r);
        }
    }
    __syncthreads();
    Turns found = all;
    __syncthreads();
    if (threadIdx.x == 0 && found.wrong != ~0ull) {
        outside(fault, site, (i64)found.wrong, 0, states - 1, slots[found.wrong]);
    }
    return found;
}

// The sequence of a token: the last one that starts at it or before, of those that have tokens.
__device__ inline i64 sequence_of(const int* starts, i64 sequences, i64 token) {
    i64 low = 0;
    i64 high = sequences;
    while (high - low > 1) {
        i64 middle = (low + high) / 2;
        if (starts[middle] <= token) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}
