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

// The same for an element of a higher index.
__device__ inline void offer(Best& best, float score, i64 index) {
    if (score > best.score || (score != score && best.score == best.score) || best.index < 0) {
        best = {score, index};
    }
}

// Writes to shared memory of another block of the cluster. Blocks run one after the other on the host, and share it there.
__device__ inline void tell(i64* shared, int block, i64 value) {
#if CLUSTERS && !defined(VT_ON_HOST)
    u32 own = (u32)__cvta_generic_to_shared(shared);
    u32 there;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(block));
    asm volatile("st.shared::cluster.s64 [%0], %1;" ::"r"(there), "l"(value) : "memory");
#else
    *shared = value;
#endif
}

__device__ inline void cluster_barrier() {
#if CLUSTERS && !defined(VT_ON_HOST)
    asm volatile("barrier.cluster.arrive.release.aligned;\n\tbarrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

// Elements of a thread's part: so many packs of 8, and what is behind the last pack.
template <typename In>
__device__ inline Best best_of(const In* x, i64 n, i64 from, i64 step, bool packed) {
    Best best = {0, -1};
    i64 packs = packed ? n / 8 : 0;
    i64 i = from;
    for (; i + step < packs; i += 2 * step) {
        Pack<In, 8> a = load_words<sizeof(In) * 8>(x + 8 * i);
        Pack<In, 8> b = load_words<sizeof(In) * 8>(x + 8 * (i + step));
        float v[8];
        widen(v, a, In());
#pragma unroll
        for (int k = 0; k < 8; k++) {
            offer(best, v[k], 8 * i + k);
        }
        widen(v, b, In());
#pragma unroll
        for (int k = 0; k < 8; k++) {
            offer(best, v[k], 8 * (i + step) + k);
        }
    }
    for (; i < packs; i += step) {
        float v[8];
        load_pack(v, x + 8 * i);
#pragma unroll
        for (int k = 0; k < 8; k++) {
            offer(best, v[k], 8 * i + k);
        }
    }
    for (i = 8 * packs + from; i < n; i += step) {
        offer(best, widen(x[i]), i);
    }
    return best;
}

__device__ inline Best best_of_block(Best best) {
    __shared__ Best parts[32];
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
    for (int w = 0; w < (int)blockDim.x >> 5; w++) {
        if (beats(parts[w], best)) {
            best = parts[w];
        }
    }
    return best;
}

// Of part so many of so many.
template <typename In>
__device__ inline Best best_of_part(const In* x, i64 n, int part, int parts, bool packed) {
    return best_of_block(best_of(x, n, (i64)part * blockDim.x + threadIdx.x, (i64)parts * blockDim.x, packed));
}

#define ARGMAX(IN)                                                                                                 \
    KERNEL greedy_argmax_##IN(Fault* fault, i64* ids, const IN* logits, i64 n, i64 stride, int packed) {           \
        UNLESS_FAILED(fault);                                                                                      \
        Best best = best_of_part(logits + blockIdx.x * stride, n, 0, 1, packed);                                   \
        if (threadIdx.x == 0) {                                                                                    \
            ids[blockIdx.x] = best.index;                                                                          \
        }                                                                                                          \
    }                                                                                                              \
    KERNEL CLUSTER_OF(PARTS)                                                                                       \
        greedy_argmax_parts_##IN(Fault* fault, i64* ids, const IN* logits, i64 n, i64 stride, int packed) {        \
        __shared__ i64 scores[PARTS];                                                                              \
        __shared__ i64 indexes[PARTS];                                                                             \
        UNLESS_FAILED(fault);                                                                                      \
        i64 row = blockIdx.x / PARTS;                                                                              \
        int part = blockIdx.x % PARTS;                                                                             \
        if (!CLUSTERS && part > 0) {                                                                               \
            return;                                                                                                \
        }                                                                                                          \
        Best best = best_of_part(logits + row * stride, n, CLUSTERS ? part : 0, CLUSTERS ? PARTS : 1, packed);     \
        if (CLUSTERS && threadIdx.x == 0) {                                                                        \
            tell(&scores[part], PARTS - 1, __float_as_uint(best.score));                                           \
            tell(&indexes[part], PARTS - 1, best.index);                                                           \
        }                                                                                                          \
        cluster_barrier();                                                                                         \
        if (threadIdx.x == 0 && (!CLUSTERS || part == PARTS - 1)) {                                                \
            for (int p = 0; CLUSTERS && p < PARTS; p++) {                                                          \
                Best other = {__uint_as_float((u32)scores[p]), indexes[p]};                                        \
                if (beats(other, best)) {                                                                          \
                    best = other;                                                                                  \
                }                                                                                                  \
            }                                                                                                      \
            ids[row] = best.index;                                                                                 \
        }                                                                                                          \
    }

ARGMAX(f32)
ARGMAX(f16)
ARGMAX(bf16)
