// Rotary embeddings. Angles are made in double, then rounded; pairs are rotated in f32.
#include "vector.cuh"
#include "check.cuh"
#include "rotation.cuh"

// How the frequencies of pairs are made; as the runtime's RopeFrequencies.
struct Frequencies {
    double base;
    double linear;
    double factor;  // 0: not rescaled.
    double low;
    double high;
    double context;
    int rotary;
};

// Radians a position of pair i.
__device__ inline double frequency(const Frequencies& q, int i) {
    double f = pow(q.base, -2.0 * i / q.rotary);
    if (q.factor != 0) {
        double wavelength = 6.283185307179586476925286766559 / f;
        if (wavelength > q.context / q.low) {
            f /= q.factor;
        } else if (wavelength >= q.context / q.high) {
            double smooth = (q.context / wavelength - q.low) / (q.high - q.low);
            f = (1 - smooth) * f / q.factor + smooth * f;
        }
    }
    return f / q.linear;
}

// Row t has the cosines of position t, then their sines. A thread goes over the rows of one pair.
KERNEL rope_table(Fault* fault, float* table, const void* positions, int wide, const float* factors, i64 rows, double base,
                  double linear, double factor, double low, double high, double context, int rotary) {
    UNLESS_FAILED(fault);
    int pairs = rotary / 2;
    i64 item = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    int i = (int)(item % pairs);
    i64 step = (i64)gridDim.x * blockDim.x / pairs;
    i64 first = item / pairs;
    if (first >= step) {
        return;
    }
    Frequencies q = {base, linear, factor, low, high, context, rotary};
    double f = frequency(q, i);
    if (factors) {
        f /= factors[i];
    }
    for (i64 t = first; t < rows; t += step) {
        double angle = integer(positions, wide, t) * f;
        table[t * rotary + i] = (float)cos(angle);
        table[t * rotary + pairs + i] = (float)sin(angle);
    }
}

// A pair is (a, b): N neighbouring ones at once. The way of GPT-NeoX: a at i, b half a rotation further.
template <typename T, int N>
__device__ inline void rotate_halves(T* head, int i, int pairs, const float (&c)[N], const float (&s)[N]) {
    float a[N];
    float b[N];
    if constexpr (N == 1) {
        a[0] = widen(head[i]);
        b[0] = widen(head[pairs + i]);
    } else {
        load_pack(a, head + i);
        load_pack(b, head + pairs + i);
    }
    float x[N];
    float y[N];
#pragma unroll
    for (int j = 0; j < N; j++) {
        x[j] = rotated_first(a[j], b[j], c[j], s[j]);
        y[j] = rotated_second(a[j], b[j], c[j], s[j]);
    }
    if constexpr (N == 1) {
        store(head + i, x[0]);
        store(head + pairs + i, y[0]);
    } else {
        store_pack(head + i, x);
        store_pack(head + pairs + i, y);
    }
}

// The way of GPT-J: a and b are neighbours.
template <typename T, int N>
__device__ inline void rotate_neighbours(T* head, int i, const float (&c)[N], const float (&s)[N]) {
    T* p = head + 2 * i;
    float v[2 * N];
    if constexpr (N == 1) {
        v[0] = widen(p[0]);
        v[1] = widen(p[1]);
    } else {
        load_pack(v, p);
    }
    float w[2 * N];
#pragma unroll
    for (int j = 0; j < N; j++) {
        w[2 * j] = rotated_first(v[2 * j], v[2 * j + 1], c[j], s[j]);
        w[2 * j + 1] = rotated_second(v[2 * j], v[2 * j + 1], c[j], s[j]);
    }
    if constexpr (N == 1) {
        store(p, w[0]);
        store(p + 1, w[1]);
    } else {
        store_pack(p, w);
    }
}

// Heads of q and k of one token.
template <typename T>
struct Heads {
    T* q;
    T* k;
    int q_heads;
    int all;
    int dim;

    __device__ T* at(int h) const {
        return h < q_heads ? q + (i64)h * dim : k + (i64)(h - q_heads) * dim;
    }
};

// The position of a pair's token, or of the axis that the pair belongs to. height and width: the first pair of these axes, or
// below 0 where a token has one position.
__device__ inline i64 position(const void* positions, int wide, i64 t, i64 tokens, int pair, int height, int width) {
    int axis = height < 0 ? 0 : (pair >= height) + (pair >= width);
    return integer(positions, wide, axis * tokens + t);
}

// Rotates N pairs of a head.
template <typename T, int N, bool NEIGHBOURS>
__device__ inline void rotate(T* head, int i, int pairs, const float (&c)[N], const float (&s)[N]) {
    if constexpr (NEIGHBOURS) {
        rotate_neighbours<T, N>(head, i, c, s);
    } else {
        rotate_halves<T, N>(head, i, pairs, c, s);
    }
}

// A block a token: a thread takes N neighbouring pairs of a head. few: few enough positions for each block to look at all of them.
template <typename T, int N, bool NEIGHBOURS>
__device__ inline void rope_rows(Fault* fault, const Heads<T>& heads, const float* table, const void* positions, int wide, i64 tokens,
                                 i64 rows, int rotary, int height, int width, int site, int few) {
    if (few && !all_inside(fault, positions, wide, height < 0 ? tokens : 3 * tokens, 0, rows - 1, site, blockIdx.x == 0)) {
        return;
    }
    i64 t = blockIdx.x;
    int pairs = rotary / 2;
    int chunks = pairs / N;
    for (int item = threadIdx.x; item < chunks * heads.all; item += blockDim.x) {
        int i = item % chunks * N;
        float c[N];
        float s[N];
        if constexpr (N > 1) {
            if (height < 0) {
                const float* row = table + integer(positions, wide, t) * rotary;
                load_pack(c, row + i);
                load_pack(s, row + pairs + i);
            }
        }
        if (N == 1 || height >= 0) {
#pragma unroll
            for (int j = 0; j < N; j++) {
                const float* row = table + position(positions, wide, t, tokens, i + j, height, width) * rotary;
                c[j] = row[i + j];
                s[j] = row[pairs + i + j];
            }
        }
        rotate<T, N, NEIGHBOURS>(heads.at(item / chunks), i, pairs, c, s);
    }
}

#define ROPE(NAME, T, N, NEIGHBOURS)                                                                                          \
    KERNEL NAME(Fault* fault, T* q, T* k, i64 q_stride, i64 k_stride, int q_heads, int k_heads, int dim, const void* positions, \
                int wide, i64 tokens, int height, int width, const float* table, i64 rows, int rotary, int site, int few) {     \
        UNLESS_FAILED(fault);                                                                                                 \
        i64 t = blockIdx.x;                                                                                                   \
        Heads<T> heads = {q + t * q_stride, k + t * k_stride, q_heads, q_heads + k_heads, dim};                               \
        rope_rows<T, N, NEIGHBOURS>(fault, heads, table, positions, wide, tokens, rows, rotary, height, width, site, few);    \
    }

ROPE(rope_f32_1, f32, 1, false)
ROPE(rope_f32_4, f32, 4, false)
ROPE(rope_bf16_1, bf16, 1, false)
ROPE(rope_bf16_8, bf16, 8, false)
ROPE(rope_neighbours_f32_1, f32, 1, true)
ROPE(rope_neighbours_f32_4, f32, 4, true)
ROPE(rope_neighbours_bf16_1, bf16, 1, true)
ROPE(rope_neighbours_bf16_8, bf16, 8, true)

// The same with angles that each block makes for its token, in shared memory: cosines, then sines.
template <typename T, int N>
__device__ inline void rope_angles(const Heads<T>& heads, float* angles, const void* positions, int wide, i64 tokens, int height,
                                   int width, const Frequencies& q) {
    int pairs = q.rotary / 2;
    for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
        double angle = position(positions, wide, blockIdx.x, tokens, i, height, width) * frequency(q, i);
        angles[i] = (float)cos(angle);
        angles[pairs + i] = (float)sin(angle);
    }
    __syncthreads();
    int chunks = pairs / N;
    for (int item = threadIdx.x; item < chunks * heads.all; item += blockDim.x) {
        int i = item % chunks * N;
        float c[N];
        float s[N];
#pragma unroll
        for (int j = 0; j < N; j++) {
            c[j] = angles[i + j];
            s[j] = angles[pairs + i + j];
        }
        rotate_halves<T, N>(heads.at(item / chunks), i, pairs, c, s);
    }
}

#define ROPE_ANGLES(NAME, T, N)                                                                                                 \
    KERNEL NAME(Fault* fault, T* q, T* k, i64 q_stride, i64 k_stride, int q_heads, int k_heads, int dim, const void* positions, \
                int wide, i64 tokens, int height, int width, double base, double linear, double factor, double low, double high, \
                double context, int rotary) {                                                                                   \
        DYNAMIC_SHARED(shared);                                                                                                 \
        UNLESS_FAILED(fault);                                                                                                   \
        i64 t = blockIdx.x;                                                                                                     \
        Heads<T> heads = {q + t * q_stride, k + t * k_stride, q_heads, q_heads + k_heads, dim};                                 \
        Frequencies f = {base, linear, factor, low, high, context, rotary};                                                     \
        rope_angles<T, N>(heads, (float*)shared, positions, wide, tokens, height, width, f);                                    \
    }

ROPE_ANGLES(rope_angles_f32_1, f32, 1)
ROPE_ANGLES(rope_angles_f32_4, f32, 4)
ROPE_ANGLES(rope_angles_bf16_1, bf16, 1)
ROPE_ANGLES(rope_angles_bf16_8, bf16, 8)
