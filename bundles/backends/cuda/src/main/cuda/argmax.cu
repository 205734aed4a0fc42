// The largest of each row: the lowest index on a tie, and a NaN counts as the largest. A row is cut among the blocks of a cluster
// where the device has clusters; else its first block does all.

#include "vector.cuh"

// Blocks of a row.
#define PARTS 8

#if defined(VT_ON_HOST) || __CUDA_ARCH__ >= 900
#define CLUSTERS 1
#else
#define CLUSTERS 0
#endif

#if CLUSTERS && !defined(VT_ON_HOST)
#define CLUSTER_OF(n) __cluster_dims__(n, 1, 1)
#else
#define CLUSTER_OF(n)
#endif

typedef unsigned long long u64;

// A score and its index as one number: the largest is the best. Both zeros are one score, a NaN is above all; 0 is nobody's.
__device__ inline u64 ranked(float score, u32 index) {
    u32 bits = __float_as_uint(score + 0.0f);
    u32 above = bits >> 31 ? ~bits : bits | 0x80000000u;
    return (u64)(score != score ? 0xffffffffu : above) << 32 | ~index;
}

struct Best {
    float score;
    u32 index;

    // Packs come in ascending order; few of them have something better.
    template <int N>
    __device__ void offer(const float (&v)[N], u32 from) {
        bool better = false;
#pragma unroll
        for (int k = 0; k < N; k++) {
            better |= !(v[k] <= score);
        }
        if (better) {
#pragma unroll
            for (int k = 0; k < N; k++) {
                if (!(v[k] <= score) && score == score) {
                    score = v[k];
                    index = from + k;
                }
            }
        }
    }
};

// Writes to shared memory of another block of the cluster. Blocks run one after the other on the host, and share it there.
__device__ inline void tell(u64* shared, int block, u64 value) {
#if CLUSTERS && !defined(VT_ON_HOST)
    u32 own = (u32)__cvta_generic_to_shared(shared);
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(block));
    asm volatile("st.shared::cluster.u64 [%0], %1;" ::"r"(there), "l"(value) : "memory");
#else
    *shared = value;
#endif
}

__device__ inline void cluster_barrier() {
#if CLUSTERS && !defined(VT_ON_HOST)
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// Packs on their way at once.
#define AT_ONCE 4

// The best of a thread's part: packs from one on at a step, and what is behind the last pack.
template <typename In>
__device__ inline u64 best_of(const In* x, i64 n, i64 from, i64 step, bool packed) {
    constexpr int N = 16 / sizeof(In);
    i64 packs = packed ? n / N : 0;
    i64 rest = packs * N + from;
    if (from >= packs && rest >= n) {
        return 0;
    }
    Best best = {-__uint_as_float(0x7f800000), (u32)(from < packs ? from * N : rest)};
    for (i64 i = from; i < packs; i += AT_ONCE * step) {
        Pack<In, N> p[AT_ONCE];
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            p[u] = load_words<16>(x + (i + u * step < packs ? i + u * step : i) * N);
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; u++) {
            float v[N];
            widen(v, p[u], In());
            if (i + u * step < packs) {
                best.offer(v, (u32)((i + u * step) * N));
            }
        }
    }
    for (i64 i = rest; i < n; i += step) {
        float v[1] = {widen(x[i])};
        best.offer(v, (u32)i);
    }
    return ranked(best.score, best.index);
}

__device__ inline u64 best_of_warp(u64 best) {
#pragma unroll
    for (int d = 16; d > 0; d >>= 1) {
        u64 other = __shfl_xor_sync(0xffffffffu, best, d);
        best = other > best ? other : best;
    }
    return best;
}

// Of part so many of so many; the first warp gets it.
template <typename In>
__device__ inline u64 best_of_part(const In* x, i64 n, int part, int parts, bool packed) {
    __shared__ u64 warps[32];
    i64 from = (i64)part * blockDim.x + threadIdx.x;
    u64 best = best_of_warp(best_of(x, n, from, (i64)parts * blockDim.x, packed));
    if (threadIdx.x % 32 == 0) {
        warps[threadIdx.x / 32] = best;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        best = best_of_warp(threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0);
    }
    return best;
}

__device__ inline i64 index_of(u64 best) {
    return ~(u32)best;
}

#define ARGMAX(IN)                                                                                                \
    KERNEL greedy_argmax_##IN(Fault* fault, i64* ids, const IN* logits, i64 n, i64 stride, int packed) {          \
        UNLESS_FAILED(fault);                                                                                     \
        u64 best = best_of_part(logits + blockIdx.x * stride, n, 0, 1, packed);                                   \
        if (threadIdx.x == 0) {                                                                                   \
            ids[blockIdx.x] = index_of(best);                                                                     \
        }                                                                                                         \
    }                                                                                                             \
    KERNEL CLUSTER_OF(PARTS)                                                                                      \
        greedy_argmax_parts_##IN(Fault* fault, i64* ids, const IN* logits, i64 n, i64 stride, int packed) {       \
        __shared__ u64 all[PARTS];                                                                                \
        UNLESS_FAILED(fault);                                                                                     \
        i64 row = blockIdx.x / PARTS;                                                                             \
        int part = blockIdx.x % PARTS;                                                                            \
        if (!CLUSTERS && part > 0) {                                                                              \
            return;                                                                                               \
        }                                                                                                         \
        u64 best = best_of_part(logits + row * stride, n, CLUSTERS ? part : 0, CLUSTERS ? PARTS : 1, packed);     \
        if (CLUSTERS && threadIdx.x == 0) {                                                                       \
            tell(&all[part], PARTS - 1, best);                                                                    \
        }                                                                                                         \
        cluster_barrier();                                                                                        \
        if (threadIdx.x == 0 && (!CLUSTERS || part == PARTS - 1)) {                                               \
            for (int p = 0; CLUSTERS && p < PARTS; p++) {                                                         \
                best = all[p] > best ? all[p] : best;                                                             \
            }                                                                                                     \
            ids[row] = index_of(best);                                                                            \
        }                                                                                                         \
    }

ARGMAX(f32)
ARGMAX(f16)
ARGMAX(bf16)
