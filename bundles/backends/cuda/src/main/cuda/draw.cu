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

// Where the generator stands at a column.
__device__ inline u64 at_column(u64 start, i64 column) {
    return start + (u64)(column + 1) * GAMMA;
}

__device__ inline float inverse(float x) {
#ifdef VT_ON_HOST
    return 1.0f / x;
#else
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
#endif
}

// What is known of some columns without a logarithm. With u = exp(-e), the score p / e lies between p * u / (1 - u) and
// p / (1 - u); the first 23 bits of the hash say between what 1 - u lies.
struct Guess {
    float most;
    float least;

    __device__ inline void look(float p, u64 at) {
        float u = __uint_as_float(0x3f800000u | (u32)(mix(at) >> 41)) - 1.0f;
        float rest = 1.0f - u;
        most = fmaxf(most, p * inverse(rest - 0x1p-23f));
        least = fmaxf(least, p * inverse(rest) * u);
    }
};

__device__ __noinline__ Draw offered(Draw best, float p, u64 at, i64 column) {
    double e = -log(((double)(mix(at) >> 11) + 0.5) * 0x1p-53);
    Draw next = {(double)p / e, column};
    return beats(next, best) ? next : best;
}

// A pack's columns: the first one of probability 0, whose score is 0, and what is known of the others. Where a probability
// is none, all that is known is that it may be the best.
template <int N>
__device__ inline void look(Guess& guess, float& most, i64& zero, const float (&p)[N], u64 start, i64 column) {
    u64 at = at_column(start, column);
    guess.most = 0;
#pragma unroll
    for (int j = 0; j < N; j++) {
        if (p[j] > 0.0f) {
            guess.look(p[j], at + j * GAMMA);
        } else if (p[j] != 0.0f) {
            guess.most = __uint_as_float(0x7f800000u);
        } else if (zero < 0) {
            zero = column + j;
        }
    }
    most = guess.most;
}

template <int N>
__device__ inline Draw best_of(Draw best, const float (&p)[N], u64 start, i64 column) {
    for (int j = 0; j < N; j++) {
        if (p[j] != 0.0f) {
            best = offered(best, p[j], at_column(start, column + j), column + j);
        }
    }
    return best;
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

// The best of a block's part of a row: a look at all columns, then the few packs that may have the best.
template <int N>
__device__ inline Draw draw_part(const float* x, Part part, u64 start) {
    Held<N, HELD> held;
    held.load(x + part.from, part.n);
    Guess guess = {0, 0};
    float most[HELD];
    float beyond = 0;
    i64 zero = -1;
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        most[k] = 0;
        if (held.at(k) < part.n) {
            look(guess, most[k], zero, (const float (&)[N])held.x[k * N], start, part.from + held.at(k));
        }
    }
    for (i64 i = held.end(); i < part.n; i += (i64)blockDim.x * N) {
        float p[N];
        float m;
        get(p, x + part.from + i);
        look(guess, m, zero, p, start, part.from + i);
        beyond = fmaxf(beyond, m);
    }
    // A part of what some column has at least: more than the roundings above.
    float found = block_max(guess.least) * 0.99f;
    Draw best = {0, zero};
#pragma unroll
    for (int k = 0; k < HELD; k++) {
        if (most[k] > 0 && most[k] >= found) {
            best = best_of(best, (const float (&)[N])held.x[k * N], start, part.from + held.at(k));
        }
    }
    for (i64 i = held.end(); i < part.n && beyond > 0 && beyond >= found; i += (i64)blockDim.x * N) {
        float p[N];
        get(p, x + part.from + i);
        best = best_of(best, p, start, part.from + i);
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
