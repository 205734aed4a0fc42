// The gated delta rule. A block takes rows of the state of one value head through the tokens of a sequence; each row is kept in
// the registers of eight lanes. What all rows of a head need of some tokens is laid out in shared memory first.
#include "vector.cuh"
#include "gates.cuh"
#include "sequences.cuh"

const int LANES = 8;
const int ROWS = 32;
const int THREADS = ROWS * LANES;

// Types of operands, four bits each.
enum Place { Q_TYPE = 0, K_TYPE = 4, V_TYPE = 8, A_TYPE = 12, B_TYPE = 16, LOG_TYPE = 20, BIAS_TYPE = 24, OUT_TYPE = 28 };

struct Delta {
    void* out;
    const void* q;
    const void* k;
    const void* v;
    i64 key_stride;    // From token to token.
    i64 value_stride;
    Gates gates;       // Where it is packed, else a is g and b is beta.
    float* state;
    u32 types;
    int packed;
    i64 heads;
    i64 ratio;         // Value heads of a key head.
    int dv;
    int dk;
    float scale;
    float eps;

    __device__ inline int type(Place place) const {
        return types >> place & 15;
    }
};

// What a block's rows need of some tokens.
template <int E>
struct Tokens {
    static const int MOST = E > 32 ? 8 : 16;
    float q[MOST][E * LANES];
    float k[MOST][E * LANES];
    float v[MOST][ROWS];  // Becomes the output.
    float decay[MOST];
    float beta[MOST];
};

// Where element e of a lane stands in a row. WHOLE: rows are exactly as long as the lanes have elements, and aligned.
template <bool WHOLE>
__device__ inline int column(int e) {
    int lane = threadIdx.x % LANES;
    return WHOLE ? e / 4 * 4 * LANES + lane * 4 + e % 4 : e * LANES + lane;
}

template <int E, bool WHOLE>
__device__ inline void load_row(float (&s)[E], const float* row, int dk) {
    if constexpr (WHOLE) {
#pragma unroll
        for (int e = 0; e < E; e += 4) {
            float4 f = *(const float4*)(row + column<true>(e));
            s[e] = f.x;
            s[e + 1] = f.y;
            s[e + 2] = f.z;
            s[e + 3] = f.w;
        }
    } else {
#pragma unroll
        for (int e = 0; e < E; e++) {
            s[e] = column<false>(e) < dk ? row[column<false>(e)] : 0.0f;
        }
    }
}

template <int E, bool WHOLE>
__device__ inline void store_row(float* row, const float (&s)[E], int dk) {
    if constexpr (WHOLE) {
#pragma unroll
        for (int e = 0; e < E; e += 4) {
            *(float4*)(row + column<true>(e)) = make_float4(s[e], s[e + 1], s[e + 2], s[e + 3]);
        }
    } else {
#pragma unroll
        for (int e = 0; e < E; e++) {
            if (column<false>(e) < dk) {
                row[column<false>(e)] = s[e];
            }
        }
    }
}

// Makes a row of shared memory one of length 1; a warp's.
template <int E>
__device__ inline void unit(float* x, int dk, float eps) {
    int lane = threadIdx.x & 31;
    double squares = 0;
    for (int i = lane; i < dk; i += 32) {
        squares += (double)x[i] * x[i];
    }
    for (int d = 16; d > 0; d >>= 1) {
        squares += __shfl_xor_sync(0xffffffffu, squares, d);
    }
    float inverse = (float)rsqrt(squares + eps);
    for (int i = lane; i < dk; i += 32) {
        x[i] *= inverse;
    }
}

// Reads n tokens of a head from one on. All threads of the block come here.
template <int E, bool WHOLE>
__device__ inline void read(Tokens<E>& t, const Delta& d, i64 head, int first_row, i64 token, int n) {
    const int width = E * LANES;
    i64 key = token * d.key_stride + head / d.ratio * d.dk;
    const int step = WHOLE ? 4 : 1;
    for (int i = threadIdx.x * step; i < n * width; i += THREADS * step) {
        i64 at = key + i / width * d.key_stride + i % width;
        if constexpr (WHOLE) {
            float x[4];
            float y[4];
            load_pack(x, d.q, d.type(Q_TYPE), at);
            load_pack(y, d.k, d.type(K_TYPE), at);
            store_pack(&t.q[0][0] + i, x);
            store_pack(&t.k[0][0] + i, y);
        } else {
            bool there = i % width < d.dk;
            (&t.q[0][0])[i] = there ? load(d.q, d.type(Q_TYPE), at) : 0.0f;
            (&t.k[0][0])[i] = there ? load(d.k, d.type(K_TYPE), at) : 0.0f;
        }
    }
    for (int i = threadIdx.x; i < n * ROWS; i += THREADS) {
        int row = first_row + i % ROWS;
        i64 at = (token + i / ROWS) * d.value_stride + head * d.dv + row;
        t.v[i / ROWS][i % ROWS] = row < d.dv ? load(d.v, d.type(V_TYPE), at) : 0.0f;
    }
    if (threadIdx.x < n) {
        i64 at = token + threadIdx.x;
        float g = d.packed ? d.gates.g(at, head) : load(d.gates.a, F32, at * d.heads + head);
        t.decay[threadIdx.x] = expf(g);
        t.beta[threadIdx.x] = d.packed ? d.gates.beta(at, head) : load(d.gates.b, F32, at * d.heads + head);
    }
    __syncthreads();
    if (d.packed) {
        for (int i = threadIdx.x >> 5; i < 2 * n; i += THREADS / 32) {
            unit<E>(i % 2 ? t.k[i / 2] : t.q[i / 2], d.dk, d.eps);
        }
        __syncthreads();
    }
}

__device__ inline float row_sum(float x) {
    for (int d = LANES / 2; d > 0; d >>= 1) {
        x += __shfl_xor_sync(0xffffffffu, x, d);
    }
    return x;
}

// Takes a row through a token; the value becomes the output.
template <int E, bool WHOLE>
__device__ inline void advance(float (&s)[E], Tokens<E>& t, int i, int row, int dk, float scale) {
    float k[E];
    load_row<E, WHOLE>(k, t.k[i], dk);
    float decay = t.decay[i];
    float along[4] = {0, 0, 0, 0};
#pragma unroll
    for (int e = 0; e < E; e++) {
        s[e] = WHOLE || column<WHOLE>(e) < dk ? s[e] * decay : 0.0f;
        along[e % 4] += s[e] * k[e];
    }
    float delta = t.beta[i] * (t.v[i][row] - row_sum((along[0] + along[1]) + (along[2] + along[3])));
    float q[E];
    load_row<E, WHOLE>(q, t.q[i], dk);
    float sum[4] = {0, 0, 0, 0};
#pragma unroll
    for (int e = 0; e < E; e++) {
        s[e] += WHOLE || column<WHOLE>(e) < dk ? delta * k[e] : 0.0f;
        sum[e % 4] += s[e] * q[e];
    }
    float y = row_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
    if (threadIdx.x % LANES == 0) {
        t.v[i][row] = scale * y;
    }
}

// Takes a block's rows through tokens.
template <int E, bool WHOLE>
__device__ inline void run(float (&s)[E], Tokens<E>& t, const Delta& d, i64 head, int first_row, i64 from, i64 to) {
    int row = threadIdx.x / LANES;
    for (i64 token = from; token < to; token += Tokens<E>::MOST) {
        int n = to - token < Tokens<E>::MOST ? (int)(to - token) : Tokens<E>::MOST;
        read<E, WHOLE>(t, d, head, first_row, token, n);
        for (int i = 0; i < n; i++) {
            advance<E, WHOLE>(s, t, i, row, d.dk, d.scale);
        }
        __syncthreads();
        for (int i = threadIdx.x; i < n * ROWS; i += THREADS) {
            if (first_row + i % ROWS < d.dv) {
                save(d.out, d.type(OUT_TYPE), ((token + i / ROWS) * d.heads + head) * d.dv + first_row + i % ROWS,
                     t.v[i / ROWS][i % ROWS]);
            }
        }
        __syncthreads();
    }
}

// What a block does for a step: its tokens with the state of a slot. With slots, each step is a token, and of steps with
// one slot the first one's block takes all, in their order.
template <int E, bool WHOLE>
__device__ inline void take(Fault* fault, const Delta& d, const int* starts, const int* slots, i64 step, i64 steps,
                            i64 states, int site) {
    __shared__ Tokens<E> tokens;
    int parts = (d.dv + ROWS - 1) / ROWS;
    i64 head = blockIdx.x / parts;
    int first_row = blockIdx.x % parts * ROWS;
    int row = first_row + threadIdx.x / LANES;
    i64 slot = slots ? slots[step] : step;
    bool mine = slot >= 0 && slot < states && row < d.dv;
    float s[E] = {};
    float* at = d.state + ((slot * d.heads + head) * d.dv + row) * d.dk;
    if (mine) {
        load_row<E, WHOLE>(s, at, d.dk);
    }
    Turns t = {~0ull, 0, ~0ull};
    if (slots) {
        t = turns(fault, slots, steps, states, step, site);
    }
    if (t.wrong != ~0ull || (slot >= 0 && t.earlier)) {
        return;
    }
    if (slot < 0) {
        if (threadIdx.x < ROWS && first_row + threadIdx.x < d.dv) {
            save(d.out, d.type(OUT_TYPE), (step * d.heads + head) * d.dv + first_row + threadIdx.x, 0.0f);
        }
        return;
    }
    i64 from = starts ? starts[step] : step;
    i64 to = starts ? starts[step + 1] : step + 1;
    if (from == to) {
        return;
    }
    run<E, WHOLE>(s, tokens, d, head, first_row, from, to);
    while (t.next != ~0ull) {
        i64 next = (i64)t.next;
        run<E, WHOLE>(s, tokens, d, head, first_row, next, next + 1);
        t = turns(fault, slots, steps, states, next, site);
    }
    if (mine) {
        store_row<E, WHOLE>(at, s, d.dk);
    }
}

#define DELTA_RULE(NAME, E, WHOLE)                                                                                     \
    KERNEL __launch_bounds__(256) NAME(                                                                                \
        Fault* fault, void* out, const void* q, const void* k, const void* v, i64 key_stride, i64 value_stride,        \
        const void* a, const void* b, const void* a_log, const void* bias, float* state, u32 types, int packed,        \
        i64 heads, i64 ratio, i64 dv, i64 dk, float scale, float eps, const int* starts, const int* slots, i64 steps,  \
        i64 states, i64 tokens, int site) {                                                                            \
        UNLESS_FAILED(fault);                                                                                          \
        Delta d = {out, q, k, v, key_stride, value_stride, {a, 0, heads, b, 0, heads, a_log, 0, bias, 0}, state,       \
                   types, packed, heads, ratio, (int)dv, (int)dk, scale, eps};                                         \
        d.gates.a_type = d.type(A_TYPE);                                                                               \
        d.gates.b_type = d.type(B_TYPE);                                                                               \
        d.gates.log_type = d.type(LOG_TYPE);                                                                           \
        d.gates.bias_type = d.type(BIAS_TYPE);                                                                         \
        if (starts && wrong_starts(fault, starts, steps, tokens, site)) {                                              \
            return;                                                                                                    \
        }                                                                                                              \
        if (heads == 0 || dv == 0) {                                                                                   \
            if (slots) {                                                                                               \
                turns(fault, slots, steps, states, 0, site);                                                           \
            }                                                                                                          \
            return;                                                                                                    \
        }                                                                                                              \
        for (i64 step = blockIdx.y; step < steps; step += gridDim.y) {                                                 \
            take<E, WHOLE>(fault, d, starts, slots, step, steps, states, site);                                        \
        }                                                                                                              \
    }

DELTA_RULE(delta_rule_64, 8, true)
DELTA_RULE(delta_rule_128, 16, true)
DELTA_RULE(delta_rule_256, 32, true)
DELTA_RULE(delta_rule_up_to_128, 16, false)
DELTA_RULE(delta_rule_up_to_256, 32, false)
DELTA_RULE(delta_rule_up_to_512, 64, false)
