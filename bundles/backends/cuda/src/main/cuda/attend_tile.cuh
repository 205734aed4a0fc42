// Attention of a tile of query rows over the same keys, without matrix units: any element types, any widths. Each of 8 warps takes
// two rows; the keys come through shared memory, 32 at a time.
#include "vector.cuh"
#include "paged.cuh"

#define TILE_ROWS 16
#define TILE_KEYS 32
#define TILE_THREADS 256

// An operand whose element type is an argument. packed: rows can be read four elements at a time.
struct Matrix {
    const void* p;
    int type;
    int packed;
};

// Shared memory of a tile, as floats.
struct Tile {
    float* queries;
    float* keys;
    float* values;
    float* weights;
    int width;
    int value_width;

    // shared: where keys hold the values, too.
    __device__ Tile(unsigned char* memory, int width, int value_width, bool shared)
        : queries((float*)memory), width(width), value_width(value_width) {
        keys = queries + TILE_ROWS * stride();
        values = shared ? keys : keys + TILE_KEYS * stride();
        weights = values + TILE_KEYS * (shared ? stride() : value_stride());
    }
    // Odd, so that neighbouring rows start in neighbouring banks.
    __device__ int stride() const {
        return width | 1;
    }
    __device__ int value_stride() const {
        return values == keys ? stride() : value_width | 1;
    }
};

// One row of an operand to shared memory, by a warp; zeros where there is none.
__device__ inline void fetch_row(float* to, const Matrix& from, i64 at, int n) {
    int lane = threadIdx.x % 32;
    if (from.packed) {
        for (int i = lane * 4; i < n; i += 128) {
            float x[4];
            load_pack(x, from.p, from.type, at + i);
#pragma unroll
            for (int j = 0; j < 4; j++) {
                to[i + j] = x[j];
            }
        }
        return;
    }
    for (int i = lane; i < n; i += 32) {
        to[i] = load(from.p, from.type, at + i);
    }
}

// What a warp has of its two rows; NJ times 32 columns of values.
template <int NJ>
struct TwoRows {
    Range range[2];
    float top[2];
    float sum[2];
    float values[2][NJ];
};

__device__ inline float warp_max(float x) {
    for (int d = 16; d > 0; d >>= 1) {
        x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, d));
    }
    return x;
}

__device__ inline float warp_sum(float x) {
    for (int d = 16; d > 0; d >>= 1) {
        x += __shfl_xor_sync(0xffffffffu, x, d);
    }
    return x;
}

// Scores of the warp's rows with the lane's key.
__device__ inline void two_scores(float (&score)[2], const Tile& tile) {
    int warp = threadIdx.x / 32;
    const float* a = tile.queries + 2 * warp * tile.stride();
    const float* b = a + tile.stride();
    const float* key = tile.keys + threadIdx.x % 32 * tile.stride();
    float x[2] = {0, 0};
    float y[2] = {0, 0};
    int i = 0;
    for (; i + 1 < tile.width; i += 2) {
        x[0] = fmaf(a[i], key[i], x[0]);
        y[0] = fmaf(b[i], key[i], y[0]);
        x[1] = fmaf(a[i + 1], key[i + 1], x[1]);
        y[1] = fmaf(b[i + 1], key[i + 1], y[1]);
    }
    if (i < tile.width) {
        x[0] = fmaf(a[i], key[i], x[0]);
        y[0] = fmaf(b[i], key[i], y[0]);
    }
    score[0] = x[0] + x[1];
    score[1] = y[0] + y[1];
}

// Takes the keys of shared memory, of which the first is number base.
template <int NJ>
__device__ inline void take_keys(TwoRows<NJ>& rows, const Tile& tile, int base, float scale, float cap) {
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    float* weights = tile.weights + warp * 2 * TILE_KEYS;
    float score[2];
    two_scores(score, tile);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        bool seen = base + lane >= rows.range[r].first && base + lane < rows.range[r].last;
        float s = seen ? exponent(score[r], scale, cap) : MINUS_INFINITY;
        float top = fmaxf(rows.top[r], warp_max(s));
        float factor = weight(rows.top[r], top);
        float w = seen ? weight(s, top) : 0;
        weights[r * TILE_KEYS + lane] = w;
        rows.sum[r] = rows.sum[r] * factor + warp_sum(w);
        rows.top[r] = top;
#pragma unroll
        for (int j = 0; j < NJ; j++) {
            rows.values[r][j] *= factor;
        }
    }
    __syncwarp();
#pragma unroll
    for (int r = 0; r < 2; r++) {
        // A key that the row does not see may hold anything.
        int first = max(0, rows.range[r].first - base);
        int last = min(TILE_KEYS, rows.range[r].last - base);
        for (int k = first; k < last; k++) {
            float w = weights[r * TILE_KEYS + k];
            const float* value = tile.values + k * tile.value_stride();
#pragma unroll
            for (int j = 0; j < NJ; j++) {
                if (lane + 32 * j < tile.value_width) {
                    rows.values[r][j] = fmaf(w, value[lane + 32 * j], rows.values[r][j]);
                }
            }
        }
    }
    __syncwarp();
}

// Goes over keys first..last-1; source.key(i) and source.value(i) are where the rows of key i start, or below 0.
template <int NJ, typename Source>
__device__ inline void attend_tile(TwoRows<NJ>& rows, const Tile& tile, const Source& source, Range all, float scale, float cap) {
    int warp = threadIdx.x / 32;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        rows.top[r] = MINUS_INFINITY;
        rows.sum[r] = 0;
#pragma unroll
        for (int j = 0; j < NJ; j++) {
            rows.values[r][j] = 0;
        }
    }
    for (int base = all.first; base < all.last; base += TILE_KEYS) {
        __syncthreads();
        for (int k = warp; k < TILE_KEYS && base + k < all.last; k += TILE_THREADS / 32) {
            i64 at = source.key(base + k);
            if (at < 0) {
                continue;
            }
            fetch_row(tile.keys + k * tile.stride(), source.keys, at, tile.width);
            if (tile.values != tile.keys) {
                fetch_row(tile.values + k * tile.value_stride(), source.values, source.value(base + k), tile.value_width);
            }
        }
        __syncthreads();
        take_keys(rows, tile, base, scale, cap);
    }
}

// The natural logarithm of the sum of exp(score).
__device__ inline float log_of_sum(float top, float sum) {
    return (top + log2f(sum)) * 0.69314718055994530942f;
}

// Writes a finished row. Without a key it is zeros; with scores of minus infinity only it is NaN.
template <int NJ>
__device__ inline void put_row(const TwoRows<NJ>& rows, int r, void* out, int type, i64 at, int width) {
    bool nothing = rows.range[r].first >= rows.range[r].last;
#pragma unroll
    for (int j = 0; j < NJ; j++) {
        int column = threadIdx.x % 32 + 32 * j;
        if (column < width) {
            save(out, type, at + column, nothing ? 0 : rows.values[r][j] / rows.sum[r]);
        }
    }
}

// Lets each warp fetch its two query rows.
__device__ inline void fetch_queries(const Tile& tile, const Matrix& query, i64 first, i64 step, int live) {
    int warp = threadIdx.x / 32;
    for (int r = 2 * warp; r < 2 * warp + 2; r++) {
        if (r < live) {
            fetch_row(tile.queries + r * tile.stride(), query, first + r * step, tile.width);
        }
    }
    __syncwarp();
}
