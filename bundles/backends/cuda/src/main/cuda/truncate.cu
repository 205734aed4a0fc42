// Cuts rows of logits to their k largest, then to the smallest set of a mass. What is kept are the elements from one place on;
// the place is found digit by digit, from the highest on, by how many elements, or how much mass, there is for each value
// of the digit. All sums are of integers, so they do not depend on the order. Once few enough elements are left, they go
// on in shared memory. A team of M blocks has a row, of as many threads as a digit has values, and all find the same.
#include "rank.cuh"
#include "team.cuh"

const int DIGIT = 10;
const int VALUES = 1 << DIGIT;

// Elements that shared memory has room for.
const u32 ROOM = 4096;

struct Tables {
    u32 count[VALUES];
    u32 high[VALUES];
    u32 low[VALUES];
    u32 index[ROOM];
    float value[ROOM];
};

// What is known of the place: elements c with c >> shift == prefix are not decided, those above are kept.
struct Search {
    u64 prefix;
    int shift;
    u64 need;   // To be reached among the undecided.
    u32 kept;
    u32 open;   // Undecided ones.
    bool done;  // All undecided ones are kept.
};

__device__ inline Search begin(u64 need) {
    return {0, 64, need, 0, 0, false};
}

__device__ inline u64 first_of(const Search& s) {
    return s.shift == 64 ? 0 : s.prefix << s.shift;
}

// A block's part of a row in memory, N elements at a time, a few loads ahead of their use.
template <int N>
struct Row {
    const float* x;
    Part part;

    template <typename F>
    __device__ inline void each(F f) const {
        const int ahead = 4;
        i64 far = (i64)blockDim.x * N;
        i64 i = (i64)threadIdx.x * N;
        for (; i + (ahead - 1) * far < part.n; i += ahead * far) {
            float p[ahead][N];
#pragma unroll
            for (int j = 0; j < ahead; j++) {
                get(p[j], x + part.from + i + j * far);
            }
#pragma unroll
            for (int j = 0; j < ahead; j++) {
                pass(f, p[j], i + j * far);
            }
        }
        for (; i < part.n; i += far) {
            float p[N];
            get(p, x + part.from + i);
            pass(f, p, i);
        }
    }

    template <typename F>
    __device__ inline void pass(F& f, const float (&p)[N], i64 i) const {
#pragma unroll
        for (int j = 0; j < N; j++) {
            f(p[j], (u32)(part.from + i + j));
        }
    }
};

// What a block has taken into shared memory.
struct List {
    const Tables* t;
    u32 n;

    template <typename F>
    __device__ inline void each(F f) const {
        for (u32 i = threadIdx.x; i < n; i += blockDim.x) {
            f(t->value[i], t->index[i]);
        }
    }
};

template <typename T>
__device__ inline T warp_scan(T x) {
    for (int d = 1; d < 32; d <<= 1) {
        T other = __shfl_up_sync(0xffffffffu, x, d);
        x += (threadIdx.x & 31) >= d ? other : 0;
    }
    return x;
}

// The sum of x over the threads up to this one, of 32 warps.
template <typename T>
__device__ inline T scan(T x) {
    __shared__ T parts[32];
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    x = warp_scan(x);
    if (lane == 31) {
        parts[warp] = x;
    }
    __syncthreads();
    T before = __shfl_sync(0xffffffffu, warp_scan(parts[lane]), (warp + 31) & 31);
    __syncthreads();
    return warp > 0 ? x + before : x;
}

// The sum of a word over the blocks of a team; behind a team_sync.
template <int M>
__device__ inline u64 team_sum(const u32* p) {
    u64 sum = 0;
    for (int i = 0; i < M; i++) {
        sum += remote_word<M>(p, i);
    }
    return sum;
}

__device__ inline void clear(Tables* t) {
    t->count[threadIdx.x] = 0;
    t->high[threadIdx.x] = 0;
    t->low[threadIdx.x] = 0;
    __syncthreads();
}

// Takes the digit at which what is needed is reached. Thread v has the elements with the v-th largest digit, and their weight
// by which it goes, and the sum of that up to here.
__device__ inline void choose(Search& s, u32 count, u32 counted, u64 weight, u64 reached, int digit, int shift,
                              bool by_count) {
    __shared__ Search next;
    if (reached >= s.need && reached - weight < s.need) {
        next.prefix = (s.shift == 64 ? 0 : s.prefix << (s.shift - shift)) | digit;
        next.shift = shift;
        next.need = s.need - (reached - weight);
        next.kept = s.kept + counted - count;
        next.open = count;
        next.done = shift == 0 || count == 1 || (by_count && next.need == count);
    }
    __syncthreads();
    s = next;
    __syncthreads();
}

// Decides one more digit by the number of elements.
template <int M, typename Source>
__device__ inline void step(Tables* t, const Source& source, Search& s) {
    int shift = s.shift > DIGIT ? s.shift - DIGIT : 0;
    u32 mask = (1u << (s.shift - shift)) - 1;
    clear(t);
    source.each([&](float x, u32 i) {
        u64 c = place_of(x, i);
        if (s.shift == 64 || c >> s.shift == s.prefix) {
            atomicAdd(&t->count[(u32)(c >> shift) & mask], 1u);
        }
    });
    team_sync<M>();
    int digit = VALUES - 1 - threadIdx.x;
    u32 count = (u32)team_sum<M>(&t->count[digit]);
    team_sync<M>();
    u32 counted = scan(count);
    choose(s, count, counted, count, counted, digit, shift, true);
}

// Masses. An element is at a distance from the largest, in steps of which 32 make a factor of e; what is further below than the
// steps there are counts as nothing. Within a step masses differ by a few percent, so the number of elements says nearly all,
// and 28 bits an element the rest, in two halves whose sums fit 32 bits for 2^18 elements.
const float STEPS = 32;

// How much more than at its near end a mass is at the far end of a step: exp(1 / 32) - 1.
const double GROWTH = 0.031743407499102671;

// The mass of the largest element.
const double WHOLE = 1.0 * (1ull << 40);

// What a search by mass goes by: elements from a place on count, and the largest of them.
struct Scale {
    u64 least;
    float top;

    __device__ inline bool counts(float x, u32 i) const {
        return place_of(x, i) >= least;
    }

    __device__ inline int distance(float x) const {
        float d = (top - x) * STEPS;
        return d < VALUES - 1 ? (int)d : VALUES - 1;
    }

    // How far a mass is above that at the far end of the step, of 2^28.
    __device__ inline u32 rest(float x, int distance) const {
        float g = ((distance + 1) - (top - x) * STEPS) / STEPS;
        float above = g * (1.0f + g * (0.5f + g * (1.0f / 6 + g * (1.0f / 24))));
        return (u32)fminf(above * (float)((1 << 28) / GROWTH), (float)((1 << 28) - 16));
    }
};

__device__ inline void weigh(Tables* t, int at, u32 rest) {
    atomicAdd(&t->count[at], 1u);
    atomicAdd(&t->high[at], rest >> 14);
    atomicAdd(&t->low[at], rest & 0x3fff);
}

// The mass that was weighed for a number, over that of one element at the far end of the step.
template <int M>
__device__ inline double weighed(const Tables* t, int at, u32& count) {
    count = (u32)team_sum<M>(&t->count[at]);
    double rest = (double)team_sum<M>(&t->high[at]) * (1 << 14) + (double)team_sum<M>(&t->low[at]);
    return count + rest * (GROWTH / (1 << 28));
}

// What the last thread has reached.
__device__ inline u64 total(u64 reached) {
    __shared__ u64 all;
    if (threadIdx.x == VALUES - 1) {
        all = reached;
    }
    __syncthreads();
    return all;
}

// No more than there is, and no less than 1.
__device__ inline u64 bounded(double wanted, u64 all) {
    return wanted < 1 ? 1 : wanted > (double)all ? all : (u64)ceil(wanted);
}

// Finds the step at which a share of the mass is reached, and what is still to be reached there, over the mass of one element at
// its far end.
template <int M, typename Source>
__device__ inline Search first_step(Tables* t, const Source& source, Scale scale, double share, double& need) {
    clear(t);
    source.each([&](float x, u32 i) {
        int d = scale.distance(x);
        if (d < VALUES - 1 && scale.counts(x, i)) {
            weigh(t, d, scale.rest(x, d));
        }
    });
    team_sync<M>();
    u32 count;
    int d = threadIdx.x;
    u64 weight = (u64)(weighed<M>(t, d, count) * exp(-(d + 1) / (double)STEPS) * WHOLE);
    team_sync<M>();
    u64 reached = scan(weight);
    u64 all = total(reached);
    Search s = begin(bounded(share * (double)all, all));
    choose(s, count, scan(count), weight, reached, d, 0, false);
    need = (double)s.need / (exp(-((double)s.prefix + 1) / STEPS) * WHOLE);
    return s;
}

// Decides one more digit by the mass of the elements at a distance.
template <int M, typename Source>
__device__ inline void step(Tables* t, const Source& source, Search& s, Scale scale, int distance) {
    int shift = s.shift > DIGIT ? s.shift - DIGIT : 0;
    u32 mask = (1u << (s.shift - shift)) - 1;
    clear(t);
    source.each([&](float x, u32 i) {
        u64 c = place_of(x, i);
        if (c >= scale.least && (s.shift == 64 || c >> s.shift == s.prefix) && scale.distance(x) == distance) {
            weigh(t, (int)(c >> shift) & mask, scale.rest(x, distance));
        }
    });
    team_sync<M>();
    u32 count;
    int digit = VALUES - 1 - threadIdx.x;
    u64 weight = (u64)(weighed<M>(t, digit, count) * (1 << 28));
    team_sync<M>();
    u64 reached = scan(weight);
    s.need = bounded((double)s.need, total(reached));
    choose(s, count, scan(count), weight, reached, digit, shift, false);
}

// Takes elements into shared memory.
template <typename Source, typename F>
__device__ inline List gather(Tables* t, const Source& source, F wanted) {
    __shared__ u32 n;
    if (threadIdx.x == 0) {
        n = 0;
    }
    __syncthreads();
    source.each([&](float x, u32 i) {
        if (wanted(x, i)) {
            u32 at = atomicAdd(&n, 1u);
            t->value[at] = x;
            t->index[at] = i;
        }
    });
    __syncthreads();
    return {t, n};
}

// What there is of a row, and what is known of what is kept.
template <int M, int N>
struct Cut {
    Tables* t;
    Row<N> row;
    List list;
    bool listed;  // All that is kept is in the list.
    u64 first;    // Elements from this place on are kept,
    Scale scale;  // if they are no further from the largest
    int last;     // than this.
    int turn;

    __device__ inline bool keeps(float x, u32 i) const {
        return place_of(x, i) >= first && scale.distance(x) <= last;
    }

    // The largest element; a NaN where there is one.
    __device__ inline float largest() {
        u64 best = 0;
        auto look = [&](float x, u32 i) {
            u64 c = place_of(x, i);
            best = c > best ? c : best;
        };
        if (listed) {
            list.each(look);
        } else {
            row.each(look);
        }
        u64 all[M];
        share<M>(all, block_max(best), turn++ & 1);
        for (int i = 0; i < M; i++) {
            best = all[i] > best ? all[i] : best;
        }
        return value_of((u32)(best >> 32));
    }

    __device__ inline void to_count(u64 k) {
        Search s = begin(k);
        while (!s.done) {
            if (listed) {
                step<M>(t, list, s);
            } else {
                step<M>(t, row, s);
            }
            if (!listed && s.kept + s.open <= ROOM) {
                u64 from = first_of(s);
                list = gather(t, row, [&](float x, u32 i) { return place_of(x, i) >= from; });
                listed = true;
            }
        }
        first = first_of(s);
    }

    __device__ inline void to_mass(double share) {
        scale = {first, largest()};
        if (!finite(scale.top)) {
            return;
        }
        double need;
        Search s = listed ? first_step<M>(t, list, scale, share, need) : first_step<M>(t, row, scale, share, need);
        last = (int)s.prefix;
        if (!listed && s.kept + s.open <= ROOM) {
            list = gather(t, row, [&](float x, u32 i) { return scale.distance(x) <= last && scale.counts(x, i); });
            listed = true;
        }
        List open = list;
        if (!listed && s.open <= ROOM) {
            open = gather(t, row, [&](float x, u32 i) { return scale.distance(x) == last && scale.counts(x, i); });
        }
        bool in_list = listed || s.open <= ROOM;
        s = begin((u64)fmin(need * (1 << 28), 1e18));
        while (!s.done) {
            if (in_list) {
                step<M>(t, open, s, scale, last);
            } else {
                step<M>(t, row, s, scale, last);
            }
        }
        first = first_of(s) > first ? first_of(s) : first;
    }

    // Masks what is not kept.
    __device__ inline void mask(float* x) const {
        if (!listed) {
            row.each([&](float v, u32 i) {
                if (!keeps(v, i)) {
                    x[i] = minus_infinity();
                }
            });
            return;
        }
        float none[N];
#pragma unroll
        for (int j = 0; j < N; j++) {
            none[j] = minus_infinity();
        }
        for (i64 i = (i64)threadIdx.x * N; i < row.part.n; i += (i64)blockDim.x * N) {
            put(x + row.part.from + i, none);
        }
        __syncthreads();
        list.each([&](float v, u32 i) {
            if (keeps(v, i)) {
                x[i] = v;
            }
        });
    }
};

template <int M, int N>
__device__ inline void truncate(float* x, i64 n, i64 k, float p, Tables* t) {
    bool by_count = k > 0 && k < n;
    bool by_mass = p < 1.0f;
    if (!by_count && !by_mass) {
        return;
    }
    team_arrive<M>();
    Cut<M, N> cut = {t, {x, part_of<M>(n)}, {t, 0}, false, 0, {0, 0}, VALUES - 1, 0};
    team_wait<M>();
    if (by_count) {
        cut.to_count(k);
    }
    if (by_mass) {
        cut.to_mass(p);
    }
    cut.mask(x);
}

#define TRUNCATE(N)                                                                                                \
    KERNEL __launch_bounds__(1024) top_k_top_p_alone_##N(Fault* fault, float* logits, const int* k, const float* p, \
                                                         i64 n) {                                                  \
        UNLESS_FAILED(fault);                                                                                      \
        DYNAMIC_SHARED(memory);                                                                                    \
        i64 row = blockIdx.x;                                                                                      \
        truncate<1, N>(logits + row * n, n, k ? k[row] : 0, p ? p[row] : 1.0f, (Tables*)memory);                   \
    }                                                                                                              \
    TEAM_KERNEL(1024) top_k_top_p_team_##N(Fault* fault, float* logits, const int* k, const float* p, i64 n) {     \
        if (idle() || fault->flag != 0) {                                                                          \
            return;                                                                                                \
        }                                                                                                          \
        DYNAMIC_SHARED(memory);                                                                                    \
        i64 row = blockIdx.x / TEAM;                                                                               \
        truncate<MEMBERS, N>(logits + row * n, n, k ? k[row] : 0, p ? p[row] : 1.0f, (Tables*)memory);             \
    }

TRUNCATE(1)
TRUNCATE(4)
