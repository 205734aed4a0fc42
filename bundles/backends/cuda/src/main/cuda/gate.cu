// The steps around gated attention, and of latent attention, that go element by element.
#include "some.cuh"
#include "activation.cuh"

// Each head of `merged` is its query, then its gate; i counts packs of N elements of a result.
#define GATE_SPLIT(N)                                                                                                  \
    KERNEL gate_split_##N(Fault* fault, float* q, float* gate, const void* merged, int type, i64 packs, int width) {    \
        UNLESS_FAILED(fault);                                                                                          \
        OVER_GRID(i, packs) {                                                                                          \
            i64 at = i * N;                                                                                            \
            i64 from = at + at / width * width;                                                                        \
            float x[N];                                                                                                \
            float y[N];                                                                                                \
            fetch<N>(x, merged, type, from);                                                                           \
            fetch<N>(y, merged, type, from + width);                                                                   \
            put<N>(q, F32, at, x);                                                                                     \
            put<N>(gate, F32, at, y);                                                                                  \
        }                                                                                                              \
    }

GATE_SPLIT(1)
GATE_SPLIT(8)

#define SIGMOID_GATE(N)                                                                                       \
    KERNEL sigmoid_gate_##N(Fault* fault, void* out, const void* x, int type, const float* gate, i64 packs) { \
        UNLESS_FAILED(fault);                                                                                 \
        OVER_GRID(i, packs) {                                                                                 \
            float v[N];                                                                                       \
            float g[N];                                                                                       \
            fetch<N>(v, x, type, i * N);                                                                      \
            fetch<N>(g, gate, F32, i * N);                                                                    \
            for (int j = 0; j < N; j++) {                                                                     \
                v[j] = sigmoid_gated(v[j], g[j]);                                                             \
            }                                                                                                 \
            put<N>(out, BF16, i * N, v);                                                                      \
        }                                                                                                     \
    }

SIGMOID_GATE(1)
SIGMOID_GATE(8)

// The weights of two parts by the logarithms of their sums, of which infinity counts as nothing.
struct States {
    float left;
    float right;
    float lse;
    bool nothing;

    __device__ States(float p, float s) {
        float none = __int_as_float(0xff800000);
        p = p == -none ? none : p;
        s = s == -none ? none : s;
        // A NaN must not be lost in the larger of the two.
        float top = p > s || p != p ? p : s;
        nothing = top == none;
        float x = nothing ? 1 : expf(p - top);
        float y = nothing ? 0 : expf(s - top);
        left = x / (x + y);
        right = y / (x + y);
        lse = nothing ? none : top + logf(x + y);
    }
};

// Merges the attention over two sets of keys; N elements of a head a thread. lse is [heads, tokens].
#define MERGE_STATES(N)                                                                                                        \
    KERNEL merge_states_##N(Fault* fault, void* out, int type, float* out_lse, const void* prefix, int prefix_type,            \
                            const float* prefix_lse, const void* suffix, int suffix_type, const float* suffix_lse, i64 packs,  \
                            i64 tokens, int heads, int width) {                                                                \
        UNLESS_FAILED(fault);                                                                                                  \
        OVER_GRID(i, packs) {                                                                                                  \
            i64 row = i * N / width;                                                                                           \
            i64 log = row % heads * tokens + row / heads;                                                                      \
            States s(prefix_lse[log], suffix_lse[log]);                                                                        \
            float a[N];                                                                                                        \
            float b[N];                                                                                                        \
            fetch<N>(a, prefix, prefix_type, i * N);                                                                           \
            fetch<N>(b, suffix, suffix_type, i * N);                                                                           \
            for (int j = 0; j < N; j++) {                                                                                      \
                a[j] = s.nothing ? a[j] : a[j] * s.left + b[j] * s.right;                                                      \
            }                                                                                                                  \
            put<N>(out, type, i * N, a);                                                                                       \
            if (out_lse && i * N % width == 0) {                                                                               \
                out_lse[log] = s.lse;                                                                                          \
            }                                                                                                                  \
        }                                                                                                                      \
    }

MERGE_STATES(1)
MERGE_STATES(8)

// Two parts of each head side by side; elements of BYTES bytes each, of any kind. Strides are in such elements.
#define CONCAT(BYTES)                                                                                                       \
    KERNEL concat_##BYTES(Fault* fault, void* out, const void* nope, const void* rope, i64 n, int heads, int left, int right, \
                          i64 out_token, i64 out_head, i64 nope_token, i64 nope_head, i64 rope_token, i64 rope_head) {      \
        UNLESS_FAILED(fault);                                                                                               \
        int width = left + right;                                                                                           \
        OVER_GRID(i, n) {                                                                                                   \
            i64 row = i / width;                                                                                            \
            int column = (int)(i - row * width);                                                                            \
            i64 token = row / heads;                                                                                        \
            int head = (int)(row - token * heads);                                                                          \
            const char* from = column < left ? (const char*)nope + (token * nope_token + head * nope_head + column) * BYTES  \
                                             : (const char*)rope + (token * rope_token + head * rope_head + column - left) * BYTES; \
            store_words<BYTES>((char*)out + (token * out_token + head * out_head + column) * BYTES, load_words<BYTES>(from)); \
        }                                                                                                                   \
    }

CONCAT(2)
CONCAT(4)
CONCAT(16)
