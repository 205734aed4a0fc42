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

// What one thread goes through. Most columns are passed over by a bound that needs no logarithm: with u = exp(-e), the
// score is above the best one only if 1 - u < prob / best.
struct Drawer {
    u64 start;
    Draw best;
    float bound;  // A little above 1 / best, or infinite.

    __device__ inline void set(Draw d) {
        best = d;
        float b = (float)d.score;
        bound = d.index >= 0 && b > 1e-30f ? 1.00001f / b : __uint_as_float(0x7f800000u);
    }

    __device__ inline void offer(float p, i64 column) {
        if (p == 0.0f && best.index >= 0 && best.score > 0) {
            return;
        }
        u64 h = mix(start + (u64)(column + 1) * GAMMA);
        // At most 1 - u, in 24 bits.
        float rest = (float)(0xffffff - (u32)(h >> 40)) * 0x1p-24f;
        if (rest >= p * bound) {
            return;
        }
        double e = -log(((double)(h >> 11) + 0.5) * 0x1p-53);
        Draw next = {p == 0.0f ? 0.0 : (double)p / e, column};
        if (beats(next, best)) {
            set(next);
        }
    }
};

// A team's draw from a row.
template <int N>
__device__ inline i64 draw(const float* x, i64 n, u64 start) {
    __shared__ Draw parts[32];
    team_arrive<MEMBERS>();
    Part part = part_of<MEMBERS>(n);
    Held<N, HELD> held;
    held.load(x + part.from, part.n);
    Drawer drawer;
    drawer.start = start;
    drawer.set({0, -1});
#pragma unroll
    for (int k = 0; k < HELD; k++) {
#pragma unroll
        for (int j = 0; j < N; j++) {
            if (held.at(k) < part.n) {
                drawer.offer(held.x[k * N + j], part.from + held.at(k) + j);
            }
        }
        // The first ones raise the bound the most.
        if (k < 2) {
            drawer.set(best_of_warp(drawer.best));
        }
    }
    for (i64 i = held.end(); i < part.n; i += (i64)blockDim.x * N) {
        float p[N];
        get(p, x + part.from + i);
#pragma unroll
        for (int j = 0; j < N; j++) {
            drawer.offer(p[j], part.from + i + j);
        }
    }
    Draw best = best_of_warp(drawer.best);
    if ((threadIdx.x & 31) == 0) {
        parts[threadIdx.x >> 5] = best;
    }
    __syncthreads();
    for (int w = 0; w < blockDim.x >> 5; w++) {
        best = beats(parts[w], best) ? parts[w] : best;
    }
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
