// Products with few rows of a, and those that make few tiles: a block takes 64 columns of b, which are the rows for the matrix
// units, and up to N rows of a; a warp copies, a warpgroup multiplies. The blocks of a cluster share K between them.

#include "sm90.cuh"

// Stages of about 100 KiB in all, so that two blocks share a multiprocessor, or 200; BOXES tiles of 64 elements of K each.
template <int N>
struct Slim {
    enum { BOXES = N > 64 ? 1 : 2, STAGES = N <= 16 ? 5 : N == 32 ? 4 : N == 64 ? 6 : N == 128 ? 8 : 5 };
    enum { LEFT = 64 * 128, RIGHT = N * 128, STAGE = BOXES * (LEFT + RIGHT) };
};

template <int N, int ACROSS>
__device__ inline void slim_copy(const TensorMap* a, const TensorMap* b, u32 base, u32 full, u32 empty, int from, int to,
                                 int col0, int row0, int a_group, int b_group) {
    typedef Slim<N> S;
    int s = 0;
    u32 parity = 1;
    for (int i = from; i < to; i++) {
        barrier_wait(empty + 8 * s, parity);
        u32 told = full + 8 * s;
        u32 left = base + s * S::STAGE;
        u32 right = left + S::BOXES * S::LEFT;
        barrier_expect(told, S::STAGE);
        for (int x = 0; x < S::BOXES; x++) {
            int k = (i * S::BOXES + x) * 64;
            tile_load(left + x * S::LEFT, b, told, ACROSS ? col0 : k, ACROSS ? k : col0, b_group);
            tile_load(right + x * S::RIGHT, a, told, k, row0, a_group);
        }
        if (++s == S::STAGES) {
            s = 0;
            parity ^= 1;
        }
    }
}

template <int N, class T, int ACROSS>
__device__ inline void slim_multiply(float (&d)[N / 2], u32 base, u32 full, u32 empty, int from, int to) {
    typedef Slim<N> S;
    int s = 0;
    u32 parity = 0;
    int last = 0;
    for (int i = from; i < to; i++) {
        barrier_wait(full + 8 * s, parity);
        u32 left = base + s * S::STAGE;
        u32 right = left + S::BOXES * S::LEFT;
        products_begin();
#pragma unroll
        for (int q = 0; q < 4 * S::BOXES; q++) {
            product<T, ACROSS, 0>(d, operand<ACROSS>(left + q / 4 * S::LEFT, q % 4),
                                  operand<0>(right + q / 4 * S::RIGHT, q % 4), i - from + q);
        }
        products_commit();
        // One step stays under way; the one before it is done with its stage.
        if (i > from) {
            products_wait<1>();
            if (threadIdx.x == 0) {
                barrier_arrive(empty + 8 * last);
            }
        }
        last = s;
        if (++s == S::STAGES) {
            s = 0;
            parity ^= 1;
        }
    }
    products_wait<0>();
}

// What a thread of the warpgroup has in its register i.
__device__ inline void slim_save(const Output& out, i64 row0, i64 col0, int group, int i, float x) {
    int t = threadIdx.x;
    i64 row = row0 + i / 4 * 8 + 2 * (t & 3) + (i & 1);
    i64 col = col0 + t / 32 * 16 + t % 32 / 4 + (i >> 1 & 1) * 8;
    if (row < out.m && col < out.n) {
        save(out.data, out.type, group * out.group + row * out.stride + col, out.alpha * x);
    }
}

// All of them: four at a time, in two rows and two columns.
template <int N>
__device__ inline void slim_save_all(const Output& out, i64 row0, i64 col0, int group, const float (&d)[N / 2]) {
    int t = threadIdx.x;
    i64 row = row0 + 2 * (t & 3);
    i64 col = col0 + t / 32 * 16 + t % 32 / 4;
    i64 at = group * out.group + row * out.stride + col;
#pragma unroll
    for (int i = 0; i < N / 2; i += 4) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            if (row + (j & 1) < out.m && col + (j >> 1) * 8 < out.n) {
                save(out.data, out.type, at + (j & 1) * out.stride + (j >> 1) * 8, out.alpha * d[i + j]);
            }
        }
        row += 8;
        at += 8 * out.stride;
        // Else the compiler keeps all addresses in registers.
        asm volatile("" : "+l"(at), "+l"(row));
    }
}

// Each block of the cluster gives the others their share of its sums, then adds up its own share in the order of the blocks.
template <int N>
__device__ inline void slim_join(const float (&d)[N / 2], const Output& out, u32 base, u32 parts, u32 part, i64 row0,
                                 i64 col0, int group) {
    // Shifts, since a division takes longer than all the rest here: parts and N are powers of two.
    constexpr u32 LOG = N == 8 ? 2 : N == 16 ? 3 : N == 32 ? 4 : N == 64 ? 5 : N == 128 ? 6 : 7;
    u32 log = __ffs(parts) - 1;
    u32 share = log < LOG ? LOG - log : 0;
    u32 apart = log < LOG ? 0 : log - LOG;
    u32 t = threadIdx.x;
    // The stages are free: every block has used what was copied into them.
    cluster_sync();
    if (t < 128) {
#pragma unroll
        for (u32 i = 0; i < N / 2; i++) {
            u32 to = i >> share << apart;
            u32 place = base + 4 * (((part << share) + (i & (1 << share) - 1)) * 128 + t);
            asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(shared_of(place, to)), "f"(d[i]) : "memory");
        }
    }
    cluster_sync();
    if (t < 128 && (part & (1 << apart) - 1) == 0) {
        u32 first = part >> apart << share;
        for (u32 e = 0; e < 1u << share; e++) {
            float sum = 0;
            for (u32 p = 0; p < parts; p++) {
                float x;
                asm volatile("ld.shared.f32 %0, [%1];" : "=f"(x) : "r"(base + 4 * (((p << share) + e) * 128 + t)) : "memory");
                sum += x;
            }
            slim_save(out, row0, col0, group, first + e, sum);
        }
    }
}

// steps: of K, by all blocks of the cluster; a_step, b_step: 0 where all pairs share the matrix.
template <class T, int N, int ACROSS>
__device__ inline void slim(Fault* fault, const TensorMap* a, const TensorMap* b, const Output& out, int steps,
                            int a_step, int b_step) {
    typedef Slim<N> S;
    DYNAMIC_SHARED(pool);
    UNLESS_FAILED(fault);
    u32 base = pool_start(pool);
    u32 full = base + S::STAGES * S::STAGE;
    u32 empty = full + 8 * S::STAGES;
    u32 parts = cluster_size();
    u32 part = cluster_rank();
    int from = (int)((i64)steps * part / parts);
    int to = (int)((i64)steps * (part + 1) / parts);
    int col0 = blockIdx.x / parts * 64;
    int row0 = blockIdx.y * N;
    int group = blockIdx.z;
    if (threadIdx.x == 128) {
        for (int s = 0; s < S::STAGES; s++) {
            barrier_init(full + 8 * s, 1);
            barrier_init(empty + 8 * s, 1);
        }
        barrier_init_done();
        map_prefetch(a);
        map_prefetch(b);
    }
    __syncthreads();
    float d[N / 2];
    if (threadIdx.x < 128) {
        slim_multiply<N, T, ACROSS>(d, base, full, empty, from, to);
    } else {
        if (threadIdx.x == 128) {
            slim_copy<N, ACROSS>(a, b, base, full, empty, from, to, col0, row0, group * a_step, group * b_step);
        }
        __syncwarp();
    }
    if (parts > 1) {
        slim_join<N>(d, out, base, parts, part, row0, col0, group);
    } else if (threadIdx.x < 128) {
        slim_save_all<N>(out, row0, col0, group, d);
    }
}

#define SLIM(NAME, T, N, ACROSS)                                                                                      \
    KERNEL __launch_bounds__(160, N <= 32 ? 2 : 1) NAME(                                                              \
        Fault* fault, const __grid_constant__ TensorMap a, const __grid_constant__ TensorMap b, void* data, i64 m,    \
        i64 n, i64 stride, i64 group, int type, float alpha, int steps, int a_step, int b_step) {                     \
        Output out = {data, m, n, stride, group, type, alpha};                                                        \
        slim<T, N, ACROSS>(fault, &a, &b, out, steps, a_step, b_step);                                                \
    }
