// Draws a column of each row: the largest of prob / e, where e is exponentially distributed noise. A team a row.
#include "rank.cuh"
#include "team.cuh"

// SplitMix64's increment and finish: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014.
const u64 GAMMA = 0x9e3779b97f4a7c15ull;

__device__ inline u64 mix(u64 z) {
    u64 a = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    u64 b = (a ^ a >> 27) * 0x94d049bb133111ebull;
    return b ^ b >> 31;
}

struct Draw {
    double score;
    i64 index;  // Below 0: nothing yet.
};

// Whether b takes the place of a: a NaN counts as the largest, the lower index wins a tie.
__device__ inline bool beats(Draw b, Draw a) {
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

__device__ inline Draw other_lane(Draw d, int distance) {
    return {__shfl_xor_sync(0xffffffffu, d.score, distance), __shfl_xor_sync(0xffffffffu, d.index, distance)};
}

__device__ inline Draw best_of_warp(Draw best) {
    for (int d = 16; d > 0; d >>= 1) {
        Draw other = other_lane(best, d);
        best = beats(other, best) ? other : best;
    }
    return best;
}

// The noise's hash of a column, given what the generator starts at.
__device__ inline u64 hash_of(u64 start, i64 column) {
    return mix(start + (u64)(column + 1) * GAMMA);
}

// What one thread knows of its columns without a logarithm. With u = exp(-e), the score p / e lies between p * u / (1 - u) and
// p / (1 - u); the first 24 bits of the hash say between what 1 - u lies. Scores here are 2^-24 of what they are.
struct Guess {
    float most;
    float least;
    bool unsure;
    i64 zero;  // The first column of probability 0, whose score is 0.

    __device__ inline void look(float p, u64 start, i64 column) {
        if (p == 0.0f) {
            zero = zero < 0 ? column : zero;
            return;
        }
        float rest = (float)(0xffffff - (u32)(hash_of(start, column) >> 40));
        most = fmaxf(most, __fdividef(p, rest));
        least = fmaxf(least, __fdividef(p, rest + 1.0f) * (1.0f - (rest + 1.0f) * 0x1p-24f));
        unsure |= !(p > 0.0f);
    }

    // Whether one of the columns may be the best, given a score that some column has at least.
    __device__ inline bool may_win(float found) const {
        return unsure || (most > 0 && most * 1.01f >= found);
    }
};

__device__ inline void offer(Draw& best, float p, u64 start, i64 column) {
    double e = -log(((double)(hash_of(start, column) >> 11) + 0.5) * 0x1p-53);
    Draw next = {(double)p / e, column};
    best = beats(next, best) ? next : best;
}

// The best of a block; every thread gets it.
__device__ inline Draw block_best(Draw best) {
    __shared__ Draw parts[32];
    best = best_of_warp(best);
    if ((threadIdx.x & 31) == 0) {
        parts[threadIdx.x >> 5] = best;
    }
    __syncthreads();
    for (int w = 0; w < blockDim.x >> 5; w++) {
        best = beats(parts[w], best) ? parts[w] : best;
    }
    return best;
}

// The best of a block's part of a row: a look at all columns, then the few threads that may have the best go through theirs.
template <int N>
__device__ inline Draw draw_part(const float* x, Part part, u64 start) {
    Held<N, HELD> held;
    held.load(x + part.from, part.n);
    Guess guess = {0, 0, false, -1};
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        if (held.at(k) < part.n) {
#pragma unroll
            for (int j = 0; j < N; j++) {
                guess.look(held.x[k * N + j], start, part.from + held.at(k) + j);
            }
        }
    }
    for (i64 i = held.end(); i < part.n; i += (i64)blockDim.x * N) {
        float p[N];
        get(p, x + part.from + i);
#pragma unroll
        for (int j = 0; j < N; j++) {
            guess.look(p[j], start, part.from + i + j);
        }
    }
    float found = block_max(guess.least * 0.99f);
    Draw best = {0, guess.zero};
    if (guess.may_win(found)) {
        for (i64 i = (i64)threadIdx.x * N; i < part.n; i += (i64)blockDim.x * N) {
            for (int j = 0; j < N; j++) {
                float p = x[part.from + i + j];
                if (p != 0.0f) {
                    offer(best, p, start, part.from + i + j);
                }
            }
        }
    }
    return block_best(best);
}

// A team's draw from a row.
template <int N>
__device__ inline i64 draw(const float* x, i64 n, u64 start) {
    team_arrive<MEMBERS>();
    Draw best = draw_part<N>(x, part_of<MEMBERS>(n), start);
    Draw all[MEMBERS];
    team_wait<MEMBERS>();
    share<MEMBERS>(all, best, 0);
    for (int i = 0; i < MEMBERS; i++) {
        best = beats(all[i], best) ? all[i] : best;
    }
    return best.index;
}

#define RANDOM_SAMPLE(N)                                                                                            \
    TEAM_KERNEL(512, 2) random_sample_##N(Fault* fault, i64* ids, const float* probs, const i64* seeds, i64 n) {    \
        i64 row = blockIdx.x / TEAM;                                                                                \
        if (idle() || fault->flag != 0) {                                                                           \
            return;                                                                                                 \
        }                                                                                                           \
        i64 id = draw<N>(probs + row * n, n, mix((u64)seeds[row] + (u64)(row + 1) * GAMMA));                        \
        if (blockIdx.x % TEAM == 0 && threadIdx.x == 0) {                                                           \
            ids[row] = id;                                                                                          \
        }                                                                                                           \
    }

RANDOM_SAMPLE(1)
RANDOM_SAMPLE(4)
