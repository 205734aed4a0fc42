// Cuts rows of logits to their k largest, then to the smallest set of a mass. A block of as many threads as a digit has
// values works on a row. What is kept are the elements from one place on; the place is found digit by digit, from the
// highest on, by how many elements, or how much mass, there is for each value of the digit. Masses are integers, so their
// sums do not depend on the order. Once few enough elements are left, they go on in shared memory.
#include "vector.cuh"
#include "rank.cuh"

const int DIGIT = 10;
const int VALUES = 1 << DIGIT;

// Elements that shared memory has room for.
const int ROOM = 4096;

// The mass of the largest element. Sums of up to 2^23 of it fit.
const float UNIT = 1.0f * (1ull << 40);

struct Tables {
    u64 mass[VALUES];
    u32 count[VALUES];
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

__device__ inline u64 from(const Search& s) {
    return s.shift == 64 ? 0 : s.prefix << s.shift;
}

__device__ inline u64 mass_of(float x, float top) {
    return (u64)(expf(x - top) * UNIT);
}

// The elements of a row in memory, N at a time, a few loads ahead of their use.
template <int N>
struct Row {
    const float* x;
    i64 n;

    template <typename F>
    __device__ inline void each(F f) const {
        const int ahead = 4;
        i64 far = (i64)blockDim.x * N;
        i64 i = (i64)threadIdx.x * N;
        for (; i + (ahead - 1) * far < n; i += ahead * far) {
            Pack<f32, N> p[ahead];
#pragma unroll
            for (int j = 0; j < ahead; j++) {
                p[j] = load_words<4 * N>(x + i + j * far);
            }
#pragma unroll
            for (int j = 0; j < ahead; j++) {
                pass(f, p[j], i + j * far);
            }
        }
        for (; i < n; i += far) {
            pass(f, load_words<4 * N>(x + i), i);
        }
    }

    template <typename F>
    __device__ static inline void pass(F& f, const Pack<f32, N>& p, i64 i) {
#pragma unroll
        for (int j = 0; j < N; j++) {
            f(__uint_as_float(p.w[j]), (u32)(i + j));
        }
    }
};

// Those that were taken into shared memory.
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

// The sum of x over the threads up to this one.
template <typename T>
__device__ inline T scan(T x) {
    __shared__ T parts[32];
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    for (int d = 1; d < 32; d <<= 1) {
        T other = __shfl_up_sync(0xffffffffu, x, d);
        x += lane >= d ? other : 0;
    }
    if (lane == 31) {
        parts[warp] = x;
    }
    __syncthreads();
    for (int w = 0; w < warp; w++) {
        x += parts[w];
    }
    __syncthreads();
    return x;
}

// Decides one more digit. Elements below a place do not count. By mass, if a share of the mass is given: the first digit
// then also tells how much is to be reached.
template <typename Source>
__device__ inline void step(Tables* t, const Source& source, Search& s, u64 least, bool by_mass, float top, double share) {
    __shared__ Search next;
    __shared__ u64 all;
    int shift = s.shift > DIGIT ? s.shift - DIGIT : 0;
    u32 mask = (1u << (s.shift - shift)) - 1;
    t->count[threadIdx.x] = 0;
    t->mass[threadIdx.x] = 0;
    __syncthreads();
    source.each([&](float x, u32 i) {
        u64 c = place_of(x, i);
        if (c >= least && (s.shift == 64 || c >> s.shift == s.prefix)) {
            u32 digit = (u32)(c >> shift) & mask;
            atomicAdd(&t->count[digit], 1u);
            u64 m = by_mass ? mass_of(x, top) : 0;
            if (m != 0) {
                atomicAdd(&t->mass[digit], m);
            }
        }
    });
    __syncthreads();
    int digit = VALUES - 1 - threadIdx.x;
    u32 count = t->count[digit];
    u32 counted = scan(count);
    u64 weight = by_mass ? t->mass[digit] : count;
    u64 reached = by_mass ? scan(weight) : counted;
    if (by_mass && s.shift == 64) {
        if (threadIdx.x == VALUES - 1) {
            all = reached;
        }
        __syncthreads();
        double wanted = share * (double)all;
        s.need = wanted < 1 ? 1 : wanted > (double)all ? all : (u64)wanted + ((double)(u64)wanted < wanted);
    }
    if (reached >= s.need && reached - weight < s.need) {
        next.prefix = (s.shift == 64 ? 0 : s.prefix << (s.shift - shift)) | digit;
        next.shift = shift;
        next.need = s.need - (reached - weight);
        next.kept = s.kept + counted - count;
        next.open = count;
        next.done = shift == 0 || count == 1 || (!by_mass && next.need == count);
    }
    __syncthreads();
    s = next;
    __syncthreads();
}

// Takes the elements from the undecided ones on into shared memory.
template <typename Source>
__device__ inline List gather(Tables* t, const Source& source, const Search& s, u64 least) {
    __shared__ u32 n;
    if (threadIdx.x == 0) {
        n = 0;
    }
    __syncthreads();
    u64 first = from(s) > least ? from(s) : least;
    source.each([&](float x, u32 i) {
        if (place_of(x, i) >= first) {
            u32 at = atomicAdd(&n, 1u);
            t->value[at] = x;
            t->index[at] = i;
        }
    });
    __syncthreads();
    return {t, n};
}

__device__ inline Search begin(u64 need) {
    return {0, 64, need, 0, 0, false};
}

// The largest element, or the largest of all floats where there is a NaN.
template <typename Source>
__device__ inline float largest(const Source& source) {
    u64 best = 0;
    source.each([&](float x, u32 i) {
        u64 c = place_of(x, i);
        best = c > best ? c : best;
    });
    return value_of((u32)(block_max(best) >> 32));
}

// The place from which on elements are kept, for a list that does not change any more.
__device__ inline u64 finish(Tables* t, List list, Search s, u64 least, bool by_mass, float top, double share) {
    while (!s.done) {
        step(t, list, s, least, by_mass, top, share);
    }
    return from(s) > least ? from(s) : least;
}

// The same while elements are in memory; goes over to a list as soon as it can.
template <typename Source>
__device__ inline u64 search(Tables* t, const Source& row, Search s, u64 least, bool by_mass, float top, double share,
                             List& list) {
    while (!s.done) {
        step(t, row, s, least, by_mass, top, share);
        if (s.kept + s.open <= ROOM) {
            list = gather(t, row, s, least);
            return finish(t, list, s, least, by_mass, top, share);
        }
    }
    return from(s) > least ? from(s) : least;
}

// Keeps what is in the list from a place on.
template <int N>
__device__ inline void keep(float* x, i64 n, List list, u64 first) {
    Pack<f32, N> none;
#pragma unroll
    for (int j = 0; j < N; j++) {
        none.w[j] = 0xff800000u;
    }
    for (i64 i = (i64)threadIdx.x * N; i < n; i += (i64)blockDim.x * N) {
        store_words<4 * N>(x + i, none);
    }
    __syncthreads();
    list.each([&](float v, u32 i) {
        if (place_of(v, i) >= first) {
            x[i] = v;
        }
    });
}

template <int N>
__device__ inline void truncate(float* x, i64 n, i64 k, float p, Tables* t) {
    bool by_count = k > 0 && k < n;
    bool by_mass = p < 1.0f;
    if (!by_count && !by_mass) {
        return;
    }
    Row<N> row = {x, n};
    List list = {t, 0};
    u64 first = by_count ? search(t, row, begin(k), 0, false, 0, 0, list) : 0;
    if (by_mass) {
        float top = list.n ? largest(list) : largest(row);
        if (!finite(top)) {
            // Not defined.
        } else if (list.n) {
            first = finish(t, list, begin(1), first, true, top, p);
        } else {
            first = search(t, row, begin(1), first, true, top, p, list);
        }
    }
    if (list.n) {
        keep<N>(x, n, list, first);
    } else if (first != 0) {
        row.each([&](float v, u32 i) {
            if (place_of(v, i) < first) {
                x[i] = minus_infinity();
            }
        });
    }
}

#define TRUNCATE(N)                                                                                        \
    KERNEL __launch_bounds__(1024) apply_top_k_top_p_##N(Fault* fault, float* logits, const int* k, const float* p, i64 n) {       \
        UNLESS_FAILED(fault);                                                                              \
        DYNAMIC_SHARED(memory);                                                                            \
        i64 row = blockIdx.x;                                                                              \
        truncate<N>(logits + row * n, n, k ? k[row] : 0, p ? p[row] : 1.0f, (Tables*)memory);              \
    }

TRUNCATE(1)
TRUNCATE(4)
