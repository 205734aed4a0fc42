// Causal convolutions of each channel over tokens, with the last inputs of each sequence in a state. Sums are made in f32, from
// the bias on, the oldest input first.
#include "vector.cuh"
#include "activation.cuh"
#include "sequences.cuh"

// Tokens that a thread takes one after the other.
const int RUN = 16;

struct Filter {
    const void* weight;
    int weight_type;
    const void* bias;
    int bias_type;
    float* state;
    i64 channels;
    int taps;
    int silus;

    __device__ inline float start(i64 channel) const {
        return bias ? load(bias, bias_type, channel) : 0.0f;
    }

    __device__ inline float* of(i64 slot, i64 channel) const {
        return state + (slot * channels + channel) * (taps - 1);
    }

    __device__ inline float end(float sum) const {
        return silus ? silu(sum) : sum;
    }
};

// The sequence that a token belongs to.
struct Sequence {
    i64 index;
    i64 from;
    i64 to;
    bool initial;
};

struct Sequences {
    const int* starts;
    const void* flags;
    int wide;
    i64 count;

    __device__ inline Sequence get(i64 n) const {
        bool initial = wide ? ((const int*)flags)[n] != 0 : ((const signed char*)flags)[n] != 0;
        return {n, starts[n], starts[n + 1], initial};
    }
};

// The input of a channel at a token, which may lie before the sequence.
template <typename IN>
__device__ inline float input(const Filter& f, const IN* x, const Sequence& s, i64 token, i64 channel) {
    if (token >= s.from) {
        return widen(x[token * f.channels + channel]);
    }
    return s.initial ? f.of(s.index, channel)[f.taps - 1 + (token - s.from)] : 0.0f;
}

// A thread a channel.
template <typename IN, typename OUT>
__device__ inline void conv_run(const Filter& f, const Sequences& all, OUT* out, const IN* x, i64 first, i64 last) {
    i64 channel = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= f.channels) {
        return;
    }
    Sequence s = all.get(sequence_of(all.starts, all.count, first));
    for (i64 t = first; t < last; t++) {
        while (t >= s.to) {
            s = all.get(s.index + 1);
        }
        float sum = f.start(channel);
        for (int j = 0; j < f.taps; j++) {
            sum += load(f.weight, f.weight_type, channel * f.taps + j) * input(f, x, s, t - (f.taps - 1) + j, channel);
        }
        store(out + t * f.channels + channel, f.end(sum));
    }
}

// Weights of four channels with four taps each.
struct Four {
    float w[4][4];
    float bias[4];
};

__device__ inline Four four_of(const Filter& f, i64 channel) {
    Four r;
#pragma unroll
    for (int c = 0; c < 4; c++) {
        load_pack(r.w[c], f.weight, f.weight_type, (channel + c) * 4);
        r.bias[c] = 0;
    }
    if (f.bias) {
        load_pack(r.bias, f.bias, f.bias_type, channel);
    }
    return r;
}

// Takes an input of four channels: their sums, and what they have seen.
__device__ inline void advance(const Filter& f, const Four& w, float (&seen)[3][4], const float (&x)[4], float (&y)[4]) {
#pragma unroll
    for (int c = 0; c < 4; c++) {
        float sum = w.bias[c];
        sum += w.w[c][0] * seen[0][c];
        sum += w.w[c][1] * seen[1][c];
        sum += w.w[c][2] * seen[2][c];
        sum += w.w[c][3] * x[c];
        y[c] = f.end(sum);
        seen[0][c] = seen[1][c];
        seen[1][c] = seen[2][c];
        seen[2][c] = x[c];
    }
}

// A thread four channels of four taps, which keeps what it has seen.
template <typename IN, typename OUT>
__device__ inline void conv_run_4(const Filter& f, const Sequences& all, OUT* out, const IN* x, i64 first, i64 last) {
    i64 channel = ((i64)blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (channel >= f.channels) {
        return;
    }
    Four w = four_of(f, channel);
    Sequence s = {0, 0, 0, false};
    float seen[3][4];
    for (i64 t = first; t < last; t += 4) {
        float a[4][4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            if (t + j < last) {
                load_pack(a[j], x + (t + j) * f.channels + channel);
            }
        }
#pragma unroll
        for (int j = 0; j < 4; j++) {
            if (t + j < last) {
                if (t + j >= s.to) {
                    s = all.get(sequence_of(all.starts, all.count, t + j));
#pragma unroll
                    for (int back = 3; back > 0; back--) {
#pragma unroll
                        for (int c = 0; c < 4; c++) {
                            seen[3 - back][c] = input(f, x, s, t + j - back, channel + c);
                        }
                    }
                }
                float y[4];
                advance(f, w, seen, a[j], y);
                store_pack(out + (t + j) * f.channels + channel, y);
            }
        }
    }
}

#define CONV_FWD(IN, OUT)                                                                                           \
    KERNEL causal_conv1d_fwd_##IN##_##OUT(                                                                          \
        Fault* fault, OUT* out, const IN* x, const void* weight, int weight_type, const void* bias, int bias_type,  \
        float* state, i64 channels, int taps, int silus, const int* starts, const void* initial, int wide,          \
        i64 sequences, i64 tokens, int site, int four) {                                                            \
        UNLESS_FAILED(fault);                                                                                       \
        if (wrong_starts(fault, starts, sequences, tokens, site)) {                                                 \
            return;                                                                                                 \
        }                                                                                                           \
        Filter f = {weight, weight_type, bias, bias_type, state, channels, taps, silus};                            \
        Sequences all = {starts, initial, wide, sequences};                                                         \
        i64 begin = starts[0];                                                                                      \
        i64 end = starts[sequences];                                                                                \
        for (i64 t = (i64)blockIdx.y * RUN; t < tokens; t += (i64)gridDim.y * RUN) {                                \
            i64 first = t > begin ? t : begin;                                                                      \
            i64 last = t + RUN < end ? t + RUN : end;                                                               \
            if (first < last && four) {                                                                             \
                conv_run_4(f, all, out, x, first, last);                                                            \
            } else if (first < last) {                                                                              \
                conv_run(f, all, out, x, first, last);                                                              \
            }                                                                                                       \
        }                                                                                                           \
    }

FOR_ALL_TYPES(CONV_FWD)

// What comes after the outputs of all tokens: a thread a channel of a sequence.
#define CONV_STATES(IN)                                                                                             \
    KERNEL causal_conv1d_states_##IN(Fault* fault, const IN* x, float* state, i64 channels, int taps,               \
                                     const int* starts, const void* initial, int wide, i64 sequences) {             \
        UNLESS_FAILED(fault);                                                                                       \
        Filter f = {nullptr, 0, nullptr, 0, state, channels, taps, 0};                                              \
        Sequences all = {starts, initial, wide, sequences};                                                         \
        i64 channel = (i64)blockIdx.x * blockDim.x + threadIdx.x;                                                   \
        for (i64 n = blockIdx.y; n < sequences && channel < channels; n += gridDim.y) {                             \
            Sequence s = all.get(n);                                                                                \
            for (int j = 0; j < taps - 1 && s.from < s.to; j++) {                                                   \
                /* What is read lies behind what was written. */                                                    \
                f.of(n, channel)[j] = input(f, x, s, s.to - (taps - 1) + j, channel);                               \
            }                                                                                                       \
        }                                                                                                           \
    }

CONV_STATES(f32)
CONV_STATES(f16)
CONV_STATES(bf16)

template <typename IN, typename OUT>
__device__ inline void update(const Filter& f, OUT* out, const IN* x, i64 row, i64 slot, i64 channel) {
    float* state = f.of(slot, channel);
    float sum = f.start(channel);
    i64 at = channel * f.taps;
    for (int j = 0; j < f.taps - 1; j++) {
        float seen = state[j];
        sum += load(f.weight, f.weight_type, at + j) * seen;
        if (j > 0) {
            state[j - 1] = seen;
        }
    }
    float last = widen(x[row * f.channels + channel]);
    sum += load(f.weight, f.weight_type, at + f.taps - 1) * last;
    if (f.taps > 1) {
        state[f.taps - 2] = last;
    }
    store(out + row * f.channels + channel, f.end(sum));
}

template <typename IN, typename OUT>
__device__ inline void update_4(const Filter& f, OUT* out, const IN* x, i64 row, i64 slot, i64 channel) {
    float* state = f.of(slot, channel);
    float flat[12];
    load_pack(flat, state);
    float last[4];
    load_pack(last, x + row * f.channels + channel);
    Four w = four_of(f, channel);
    float seen[3][4];
#pragma unroll
    for (int i = 0; i < 12; i++) {
        seen[i % 3][i / 3] = flat[i];
    }
    float y[4];
    advance(f, w, seen, last, y);
#pragma unroll
    for (int i = 0; i < 12; i++) {
        flat[i] = seen[i % 3][i / 3];
    }
    store_pack(state, flat);
    store_pack(out + row * f.channels + channel, y);
}

// Blocks in y have a row. Of rows with one slot the first one's block takes all, in their order.
template <typename IN, typename OUT>
__device__ inline void conv_update(Fault* fault, const Filter& f, OUT* out, const IN* x, const int* slots, i64 rows,
                                   i64 states, int site, int four) {
    i64 channel = ((i64)blockIdx.x * blockDim.x + threadIdx.x) * (four ? 4 : 1);
    i64 row = blockIdx.y;
    for (bool first = true; row < rows; first = false) {
        i64 slot = slots ? slots[row] : row;
        Turns t = {~0ull, 0, ~0ull};
        if (slots) {
            t = turns(fault, slots, rows, states, row, site);
        }
        if (t.wrong != ~0ull || (first && slot >= 0 && t.earlier)) {
            return;
        }
        if (channel < f.channels) {
            if (slot < 0) {
                for (int c = 0; c < (four ? 4 : 1); c++) {
                    store(out + row * f.channels + channel + c, 0.0f);
                }
            } else if (four) {
                update_4(f, out, x, row, slot, channel);
            } else {
                update(f, out, x, row, slot, channel);
            }
        }
        if (slot < 0 || t.next == ~0ull) {
            return;
        }
        row = (i64)t.next;
    }
}

#define CONV_UPDATE(IN, OUT)                                                                                        \
    KERNEL causal_conv1d_update_##IN##_##OUT(                                                                       \
        Fault* fault, OUT* out, const IN* x, const void* weight, int weight_type, const void* bias, int bias_type,  \
        float* state, i64 channels, int taps, int silus, const int* slots, i64 rows, i64 states, int site,          \
        int four) {                                                                                                 \
        UNLESS_FAILED(fault);                                                                                       \
        Filter f = {weight, weight_type, bias, bias_type, state, channels, taps, silus};                            \
        conv_update(fault, f, out, x, slots, rows, states, site, four);                                             \
    }

FOR_ALL_TYPES(CONV_UPDATE)
