// Rows of tokens into a paged cache. A slot is a row of the cache; below 0 it is none. Where two tokens have one slot the later one
// stays, as if they were written one after the other.
#include "vector.cuh"

// Columns of a token's row, and where they go.
template <typename In, typename Out>
struct Piece {
    const In* from;
    Out* to;
    i64 block;  // Elements from one block of the cache to the next.
    int row;    // Elements of a row of the cache.
    int n;
};

// Finds the slot of the block's token: below 0 also where a later token has it, and where any slot lies behind the last.
__device__ inline i64 own_slot(Fault* fault, const i64* slots, int tokens, i64 last, int site) {
    __shared__ int wrong;
    __shared__ int later;
    int t = blockIdx.x;
    if (threadIdx.x == 0) {
        wrong = tokens;
        later = 0;
    }
    __syncthreads();
    i64 mine = slots[t];
    for (int i = threadIdx.x; i < tokens; i += blockDim.x) {
        i64 slot = slots[i];
        if (slot > last) {
            atomicMin(&wrong, i);
            break;
        }
        if (slot == mine && i > t) {
            later = 1;
        }
    }
    __syncthreads();
    if (wrong < tokens) {
        if (t == 0 && threadIdx.x == 0) {
            outside(fault, site, wrong, 0, last, slots[wrong]);
        }
        return -1;
    }
    return later ? -1 : mine;
}

__device__ inline u32 place(i64 slot, u32 mask) {
    return (u32)((unsigned long long)slot * 0x9e3779b97f4a7c15ull >> 32) & mask;
}

// The same for many tokens, by one block: a table of 1 + the last token of each slot, found by the slot. It lies in shared memory
// or, where table is given, there; places are a power of two, more than twice the tokens.
KERNEL cache_slots(Fault* fault, i64* own, const i64* slots, int tokens, i64 last, int site, int* table, int places) {
    DYNAMIC_SHARED(shared);
    __shared__ int wrong;
    UNLESS_FAILED(fault);
    int* tokens_of = table ? table : (int*)shared;
    for (int i = threadIdx.x; i < places; i += blockDim.x) {
        tokens_of[i] = 0;
    }
    if (threadIdx.x == 0) {
        wrong = tokens;
    }
    __syncthreads();
    u32 mask = (u32)places - 1;
    for (int t = threadIdx.x; t < tokens; t += blockDim.x) {
        i64 slot = slots[t];
        if (slot > last) {
            atomicMin(&wrong, t);
        }
        for (u32 p = place(slot, mask); slot >= 0; p = (p + 1) & mask) {
            int other = atomicCAS(&tokens_of[p], 0, t + 1);
            if (other == 0) {
                break;
            }
            if (slots[other - 1] == slot) {
                atomicMax(&tokens_of[p], t + 1);
                break;
            }
        }
    }
    __syncthreads();
    if (wrong < tokens) {
        if (threadIdx.x == 0) {
            outside(fault, site, wrong, 0, last, slots[wrong]);
        }
        return;
    }
    for (int t = threadIdx.x; t < tokens; t += blockDim.x) {
        i64 slot = slots[t];
        u32 p = place(slot, mask);
        while (slot >= 0 && slots[tokens_of[p] - 1] != slot) {
            p = (p + 1) & mask;
        }
        own[t] = slot >= 0 && tokens_of[p] == t + 1 ? slot : -1;
    }
}

template <typename In, typename Out, int N>
__device__ inline void copy_columns(const Piece<In, Out>& piece, i64 row, int i) {
    const In* from = piece.from + (i64)blockIdx.x * piece.n + i;
    Out* to = piece.to + row + i;
    if constexpr (N == 1) {
        store(to, widen(*from));
    } else {
        float x[N];
        load_pack(x, from);
        store_pack(to, x);
    }
}

// A block writes the two pieces of its token.
template <typename In, typename Out, int N>
__device__ inline void cache_rows(const Piece<In, Out>& a, const Piece<In, Out>& b, i64 slot, i64 block_size) {
    i64 block = slot / block_size;
    i64 row = slot % block_size;
    for (int i = threadIdx.x * N; i < a.n + b.n; i += blockDim.x * N) {
        if (i < a.n) {
            copy_columns<In, Out, N>(a, block * a.block + row * a.row, i);
        } else {
            copy_columns<In, Out, N>(b, block * b.block + row * b.row, i - a.n);
        }
    }
}

// own: the slots that cache_slots found, or null where there are few tokens.
#define CACHE_ROWS_OF(NAME, IN, OUT, N)                                                                                           \
    KERNEL NAME(Fault* fault, const i64* slots, const i64* own, int tokens, i64 last, int site, i64 block_size, const IN* a,      \
                OUT* a_cache, i64 a_block, int a_row, int a_n, const IN* b, OUT* b_cache, i64 b_block, int b_row, int b_n) {      \
        UNLESS_FAILED(fault);                                                                                                     \
        i64 slot = own ? own[blockIdx.x] : own_slot(fault, slots, tokens, last, site);                                            \
        if (slot >= 0) {                                                                                                          \
            Piece<IN, OUT> first = {a, a_cache, a_block, a_row, a_n};                                                             \
            Piece<IN, OUT> second = {b, b_cache, b_block, b_row, b_n};                                                            \
            cache_rows<IN, OUT, N>(first, second, slot, block_size);                                                              \
        }                                                                                                                         \
    }

#define CACHE_ROWS(IN, OUT)                               \
    CACHE_ROWS_OF(cache_rows_1_##IN##_##OUT, IN, OUT, 1)  \
    CACHE_ROWS_OF(cache_rows_8_##IN##_##OUT, IN, OUT, 8)

FOR_ALL_TYPES(CACHE_ROWS)
