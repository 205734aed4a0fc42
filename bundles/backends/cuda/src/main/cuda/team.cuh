// Blocks that share a row: a cluster, on devices that have such. Elsewhere the first block of each eight does the work of all
// and the others have none; so a launch is the same everywhere.

#include "vector.cuh"

const int TEAM = 8;

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
const int MEMBERS = TEAM;
#define TEAM_KERNEL(...) KERNEL __cluster_dims__(8, 1, 1) __launch_bounds__(__VA_ARGS__)
#else
const int MEMBERS = 1;
#define TEAM_KERNEL(...) KERNEL __launch_bounds__(__VA_ARGS__)
#endif

// The functions below are for teams of M blocks: MEMBERS, or 1 for a block that is alone.

// Whether a block of a team has nothing to do.
__device__ inline bool idle() {
    return MEMBERS == 1 && blockIdx.x % TEAM != 0;
}

template <int M>
__device__ inline int member() {
    return M == 1 ? 0 : blockIdx.x % M;
}

// Says that this block is there; comes before the first sync.
template <int M>
__device__ inline void team_arrive() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (M > 1) {
        asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    }
#endif
}

template <int M>
__device__ inline void team_wait() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (M > 1) {
        asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    }
#endif
}

// A barrier of all threads of the team, which orders their accesses of shared memory.
template <int M>
__device__ inline void team_sync() {
    if constexpr (M > 1) {
        team_arrive<M>();
        team_wait<M>();
    } else {
        __syncthreads();
    }
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
// Where a variable of shared memory lies in another block.
__device__ inline u32 remote(const void* p, int block) {
    u64 local;
    u32 there;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(local) : "l"(p));
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((u32)local), "r"(block));
    return there;
}
#endif

// A word of another block's shared memory.
template <int M>
__device__ inline u32 remote_word(const u32* p, int block) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    if constexpr (M > 1) {
        u32 x;
        asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(x) : "r"(remote(p, block)) : "memory");
        return x;
    }
#endif
    return *p;
}

// Gives all threads what each block has, which each of its threads knows. The first time comes behind team_wait; from one time
// to the next the turn is 0, 1, 0, 1.
template <int M, typename T>
__device__ inline void share(T (&all)[M], T own, int turn) {
    if constexpr (M == 1) {
        all[0] = own;
    } else {
        __shared__ T slots[2][M];
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
        if (threadIdx.x < M) {
            u32 to = remote(&slots[turn][member<M>()], threadIdx.x);
            const u32* words = (const u32*)&own;
#pragma unroll
            for (int i = 0; i < (int)sizeof(T) / 4; i++) {
                asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(to + 4 * i), "r"(words[i]) : "memory");
            }
        }
#endif
        team_sync<M>();
        for (int i = 0; i < M; i++) {
            all[i] = slots[turn][i];
        }
    }
}

// The part of a row of n elements that a block of the team has, in whole packs.
struct Part {
    i64 from;
    i64 n;
};

template <int M>
__device__ inline Part part_of(i64 n) {
    i64 each = ((n + M - 1) / M + 15) / 16 * 16;
    i64 from = member<M>() * each;
    i64 left = from < n ? n - from : 0;
    return {from, left < each ? left : each};
}

// Packs of N elements, or single ones.
template <int N>
__device__ inline void get(float (&x)[N], const float* p) {
    Pack<f32, N> words = load_words<4 * N>(p);
#pragma unroll
    for (int i = 0; i < N; i++) {
        x[i] = __uint_as_float(words.w[i]);
    }
}

template <int N>
__device__ inline void put(float* p, const float (&x)[N]) {
    Pack<f32, N> words;
#pragma unroll
    for (int i = 0; i < N; i++) {
        words.w[i] = __float_as_uint(x[i]);
    }
    store_words<4 * N>(p, words);
}

// Packs that a thread holds of its block's part.
enum { HELD = 8 };

// The first packs of a block's part, in registers: what lies beyond the part is -infinity.
template <int N, int K>
struct Held {
    float x[K * N];

    __device__ inline i64 at(int k) const {
        return ((i64)k * blockDim.x + threadIdx.x) * N;
    }

    // Where this thread goes on.
    __device__ inline i64 end() const {
        return at(K);
    }

    __device__ inline void load(const float* p, i64 n) {
#pragma unroll
        for (int k = 0; k < K; k++) {
            Pack<f32, N> words;
#pragma unroll
            for (int i = 0; i < N; i++) {
                words.w[i] = 0xff800000u;
            }
            if (at(k) < n) {
                words = load_words<4 * N>(p + at(k));
            }
#pragma unroll
            for (int i = 0; i < N; i++) {
                x[k * N + i] = __uint_as_float(words.w[i]);
            }
        }
    }
};
