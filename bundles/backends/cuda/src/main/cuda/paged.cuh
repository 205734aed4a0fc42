// What all kernels of paged attention share: the requests of a call, where their tokens lie, and what a part of the work leaves.
#include "check.cuh"

#define LOG2E 1.44269504088896340736f
#define MINUS_INFINITY __int_as_float(0xff800000)

// Numbers of FaultSite, one byte each.
struct Sites {
    int packed;

    __device__ int starts() const {
        return packed & 255;
    }
    __device__ int lengths() const {
        return packed >> 8 & 255;
    }
    __device__ int table() const {
        return packed >> 16 & 255;
    }
};

// The integer operands of a call.
struct Requests {
    const int* starts;   // First query row of each request, and the end of the last.
    const int* lengths;  // Cached tokens of each request.
    const int* table;    // Ids of blocks.
    int count;
    int width;           // Ids a request.
    int blocks;          // Blocks of the cache.
    int block_size;
    int rows;            // Query rows.
    int causal;
    int window;          // Tokens that a row sees at most; 0: all.
    Sites sites;

    __device__ int owner(int row) const {
        if (row < count && starts[row] <= row && row < starts[row + 1]) {
            return row;
        }
        int low = 0;
        int high = count;
        while (low < high) {
            int middle = (low + high) / 2;
            if (starts[middle] <= row) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low > 0 && row < starts[low] ? low - 1 : -1;
    }

    // Tokens of a request; 0 where they are more than its blocks hold, which the check reports.
    __device__ int length(int request) const {
        int n = lengths[request];
        return n < 0 || n > (i64)width * block_size ? 0 : n;
    }

    // Block of a token, or -1 after a report.
    __device__ int block(Fault* fault, int request, int index) const {
        int id = table[(i64)request * width + index];
        if ((u32)id >= (u32)blocks) {
            outside(fault, sites.table(), (i64)request << 32 | index, 0, blocks - 1, id);
            return -1;
        }
        return id;
    }
};

// One block of threads looks at starts and lengths; the ids of blocks are looked at where they are used.
__device__ inline void check_requests(Fault* fault, const Requests& q) {
    __shared__ int wrong;
    if (threadIdx.x == 0) {
        wrong = 2 * q.count + 1;
    }
    __syncthreads();
    for (int i = threadIdx.x; i <= q.count; i += blockDim.x) {
        int low = i == 0 ? 0 : q.starts[i - 1];
        if (q.starts[i] < low || q.starts[i] > q.rows) {
            atomicMin(&wrong, i);
        } else if (i < q.count && q.length(i) != q.lengths[i]) {
            atomicMin(&wrong, q.count + 1 + i);
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && wrong <= q.count) {
        outside(fault, q.sites.starts(), wrong, wrong == 0 ? 0 : q.starts[wrong - 1], q.rows, q.starts[wrong]);
    } else if (threadIdx.x == 0 && wrong <= 2 * q.count) {
        int i = wrong - q.count - 1;
        outside(fault, q.sites.lengths(), i, 0, (i64)q.width * q.block_size, q.lengths[i]);
    }
}

// Tokens first..last-1 of a request.
struct Range {
    int first;
    int last;
};

// What a query row sees.
__device__ inline Range seen(const Requests& q, int request, int row) {
    int length = q.length(request);
    int position = length - (q.starts[request + 1] - row);
    int last = q.causal ? position + 1 : length;
    int first = q.window == 0 ? 0 : position + 1 - q.window;
    return {first < 0 ? 0 : first, last};
}

// The tokens that one of several parts of the work looks at: multiples of `unit`, but for the last part.
__device__ inline Range part(Range all, int parts, int which, int unit) {
    int n = all.last - all.first;
    if (n <= 0) {
        return {0, 0};
    }
    int each = ((n + parts - 1) / parts + unit - 1) / unit * unit;
    i64 first = all.first + (i64)which * each;
    i64 last = first + each;
    return {(int)(first < all.last ? first : all.last), (int)(last < all.last ? last : all.last)};
}

// A score as the power of 2 that it is an exponent of.
__device__ inline float exponent(float score, float scale, float cap) {
    float s = score * scale;
    return (cap > 0 ? cap * tanhf(s / cap) : s) * LOG2E;
}

// 2^x; of minus infinity, minus infinity is 0.
__device__ inline float weight(float x, float top) {
    return exp2f(x - (top == MINUS_INFINITY ? 0.0f : top));
}

// What a part leaves for each row and head: the largest exponent and the sum of the weights, and the weighted sum of the values.
// The first part also says when there is nothing to do.
#define NOBODY -1.0f   // In place of the sum: the row is no request's.
#define NOTHING -2.0f  // The row sees no token.

struct Parts {
    float* stats;
    float* sums;
    int count;
    int dim;

    __device__ Parts(float* memory, i64 rows, int heads, int count, int dim)
        : stats(memory), sums(memory + (2 * rows * heads * count + 3) / 4 * 4), count(count), dim(dim) {}

    __device__ void leave(i64 head, int which, float top, float sum) const {
        stats[2 * (head * count + which)] = top;
        stats[2 * (head * count + which) + 1] = sum;
    }
    __device__ float* values(i64 head, int which) const {
        return sums + (head * count + which) * dim;
    }
};
