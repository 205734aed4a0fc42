// The experts of each token, best first, and their weights. A warp a token.
#include "rank.cuh"
#include "activation.cuh"

struct Router {
    const void* logits;
    int type;
    i64 from;  // The token's first logit.
    const float* bias;
    int sigmoids;
    float top;
    float sum;

    __device__ inline float logit(int expert) const {
        return load(logits, type, from + expert);
    }

    __device__ inline float score(int expert) const {
        return sigmoids ? sigmoid(logit(expert)) : expf(logit(expert) - top) / sum;
    }

    // What experts are chosen by.
    __device__ inline float choice(int expert) const {
        return bias ? score(expert) + bias[expert] : logit(expert);
    }
};

__device__ inline float warp_sum(float x) {
    for (int d = 16; d > 0; d >>= 1) {
        x += __shfl_xor_sync(0xffffffffu, x, d);
    }
    return x;
}

// What the scores are made of, where they are a softmax: a NaN makes the sum NaN.
__device__ inline void read_softmax(Router& r, int experts) {
    int lane = threadIdx.x & 31;
    float top = minus_infinity();
    for (int e = lane; e < experts; e += 32) {
        top = fmaxf(top, r.logit(e));
    }
    for (int d = 16; d > 0; d >>= 1) {
        top = fmaxf(top, __shfl_xor_sync(0xffffffffu, top, d));
    }
    float sum = 0;
    for (int e = lane; e < experts; e += 32) {
        sum += expf(r.logit(e) - top);
    }
    r.top = top;
    r.sum = warp_sum(sum);
}

// The best of n ranks, the lowest on a tie; it is taken out. A rank of 0 is not there.
__device__ inline int take_best(u32* ranks, int n) {
    int lane = threadIdx.x & 31;
    u64 best = 0;
    for (int i = lane; i < n; i += 32) {
        u64 c = (u64)ranks[i] << 32 | (u32)~i;
        best = c > best ? c : best;
    }
    int i = (int)index_of(warp_max(best));
    __syncwarp();
    if (lane == 0) {
        ranks[i] = 0;
    }
    __syncwarp();
    return i;
}

// A group counts as the sum of its two best where there is a bias, else as its best.
__device__ inline u32 group_rank(const u32* ranks, int size, bool two) {
    u32 first = 0;
    u32 second = 0;
    for (int i = 0; i < size; i++) {
        u32 r = ranks[i];
        second = r > first ? first : (r > second ? r : second);
        first = r > first ? r : first;
    }
    return two && size > 1 ? rank_of(value_of(first) + value_of(second)) : first;
}

// Takes out what is not in the best groups. Scratch for a number a group.
__device__ inline void keep_groups(u32* ranks, u32* scratch, int experts, int groups, int kept, bool two) {
    int lane = threadIdx.x & 31;
    int size = experts / groups;
    for (int g = lane; g < groups; g += 32) {
        scratch[g] = group_rank(ranks + g * size, size, two);
    }
    __syncwarp();
    for (int i = 0; i < kept; i++) {
        take_best(scratch, groups);
    }
    for (int e = lane; e < experts; e += 32) {
        ranks[e] = scratch[e / size] == 0 ? ranks[e] : 0;
    }
    __syncwarp();
}

KERNEL moe_router_top_k(Fault* fault, float* weights, int* indices, const void* logits, int type, const float* bias,
                        i64 tokens, int experts, int k, int sigmoids, int renormalise, int groups, int top_groups,
                        float scale) {
    UNLESS_FAILED(fault);
    DYNAMIC_SHARED(memory);
    int lane = threadIdx.x & 31;
    int warp = threadIdx.x >> 5;
    u32* ranks = (u32*)memory + warp * (experts + groups);
    i64 token = (i64)blockIdx.x * (blockDim.x >> 5) + warp;
    if (token >= tokens) {
        return;
    }
    Router r = {logits, type, token * experts, bias, sigmoids, 0, 0};
    if (!sigmoids) {
        read_softmax(r, experts);
    }
    for (int e = lane; e < experts; e += 32) {
        ranks[e] = rank_of(r.choice(e));
    }
    __syncwarp();
    if (top_groups < groups) {
        keep_groups(ranks, ranks + experts, experts, groups, top_groups, bias != nullptr);
    }
    weights += token * k;
    indices += token * k;
    for (int i = 0; i < k; i++) {
        int best = take_best(ranks, experts);
        if (lane == i % 32) {
            indices[i] = best;
        }
    }
    float total = 0;
    for (int i = lane; i < k; i += 32) {
        total += r.score(indices[i]);
    }
    total = warp_sum(total);
    float factor = renormalise && total != 0 ? scale / total : scale;
    for (int i = lane; i < k; i += 32) {
        weights[i] = r.score(indices[i]) * factor;
    }
}
