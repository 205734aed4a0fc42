// Which tokens of a speculative step stand.
#include "rank.cuh"
#include "team.cuh"

// The first bound that is below the one before, or further than a request may have rows; n if there is none.
__device__ inline i64 wrong_bound(const int* cu, i64 n, i64 rows, i64 width, i64& low, i64& high) {
    __shared__ u64 first;
    if (threadIdx.x == 0) {
        first = n;
    }
    __syncthreads();
    for (i64 r = threadIdx.x; r < n; r += blockDim.x) {
        i64 least = r == 0 ? 0 : cu[r - 1];
        i64 most = r == 0 || least + width > rows ? rows : least + width;
        if (cu[r] < least || cu[r] > most) {
            atomicMin(&first, (u64)r);
        }
    }
    __syncthreads();
    i64 r = (i64)first;
    if (r < n) {
        low = r == 0 ? 0 : cu[r - 1];
        high = r == 0 || low + width > rows ? rows : low + width;
    }
    return r;
}

template <int N>
__device__ inline u64 best_of(u64 best, const float (&x)[N], i64 from) {
#pragma unroll
    for (int j = 0; j < N; j++) {
        u64 c = place_of(x[j], (u32)(from + j));
        best = c > best ? c : best;
    }
    return best;
}

// The best place of the part of a row that a block has.
template <int N>
__device__ inline u64 best_of_part(const float* x, Part part) {
    u64 best = 0;
    Held<N, HELD> held;
    held.load(x + part.from, part.n);
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        if (held.at(k) < part.n) {
            best = best_of(best, (const float (&)[N])held.x[k * N], part.from + held.at(k));
        }
    }
    for (i64 i = held.end(); i < part.n; i += (i64)blockDim.x * N) {
        float a[N];
        get(a, x + part.from + i);
        best = best_of(best, a, part.from + i);
    }
    return block_max(best);
}

// A team for each row that a request may have: where there is one, its best token goes to the request's place for it.
// Every block looks at all bounds first, so where one is wrong none writes.
template <int N>
__device__ inline void rejection_row(int* sampled, const float* logits, const int* cu, i64 width, i64 n) {
    i64 request = blockIdx.x / TEAM;
    i64 i = blockIdx.y;
    if (i >= cu[request + 1] - cu[request]) {
        return;
    }
    team_arrive<MEMBERS>();
    u64 best = best_of_part<N>(logits + (cu[request] + i) * n, part_of<MEMBERS>(n));
    u64 all[MEMBERS];
    team_wait<MEMBERS>();
    share<MEMBERS>(all, best, 0);
    for (int m = 0; m < MEMBERS; m++) {
        best = all[m] > best ? all[m] : best;
    }
    if (blockIdx.x % TEAM == 0 && threadIdx.x == 0) {
        sampled[request * width + i] = (int)index_of(best);
    }
}

#define REJECTION_ROWS(N)                                                                                            \
    TEAM_KERNEL(512, 2) rejection_rows_##N(Fault* fault, int* sampled, const float* logits, const int* cu,           \
                                           i64 requests, i64 width, i64 rows, i64 n, int site) {                     \
        if (idle() || fault->flag != 0) {                                                                            \
            return;                                                                                                  \
        }                                                                                                            \
        i64 low = 0;                                                                                                 \
        i64 high = 0;                                                                                                \
        i64 wrong = wrong_bound(cu, requests + 1, rows, width, low, high);                                           \
        if (wrong <= requests) {                                                                                     \
            if (threadIdx.x == 0) {                                                                                  \
                outside(fault, site, wrong, low, high, cu[wrong]);                                                   \
            }                                                                                                        \
        } else if (requests > 0) {                                                                                   \
            rejection_row<N>(sampled, logits, cu, width, n);                                                         \
        }                                                                                                            \
    }

REJECTION_ROWS(1)
REJECTION_ROWS(4)

// A thread a request: tokens stand up to the first that the next row was not computed from.
KERNEL rejection_counts(Fault* fault, int* sampled, int* num, const int* draft, const int* cu, i64 requests, i64 width) {
    UNLESS_FAILED(fault);
    OVER_GRID(r, requests) {
        int* best = sampled + r * width;
        i64 rows = cu[r + 1] - cu[r];
        i64 count = rows == 0 ? 0 : 1;
        while (count < rows && draft[cu[r] + count] == best[count - 1]) {
            count++;
        }
        num[r] = (int)count;
        for (i64 i = count; i < width; i++) {
            best[i] = -1;
        }
    }
}
