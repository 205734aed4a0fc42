// Matrix products with f32 arithmetic, without matrix units: what serves where nothing better does, and every product of f32.

#define TILE 64
#define DEPTH 16

// Bytes that are e4m3; the runtime's number of i8 is not used, so that a mistake is no number.
#define E4M3 100

// Where f32 has exponent and fraction the number is 2^-120 times itself, below the normal range too.
__device__ inline float e4m3(u32 bits) {
    float size = (bits & 0x7f) == 0x7f ? __uint_as_float(0x7fc00000) : __uint_as_float((bits & 0x7f) << 20) * 0x1p120f;
    return bits & 0x80 ? -size : size;
}

__device__ inline float element(const void* p, int type, i64 i) {
    return type == E4M3 ? e4m3(((const unsigned char*)p)[i]) : load(p, type, i);
}

// out = alpha * a * b of any types, with b as [K,N], or [N,K] when transposed; strides are in elements. 256 threads make a tile of
// 64 by 64, 4 by 4 each. Blocks count tiles down, then pairs of matrices; across in y.
KERNEL matmul(Fault* fault, void* out, const void* a, const void* b, i64 m, i64 n, i64 k, i64 out_stride, i64 a_stride,
              i64 b_stride, i64 out_group, i64 a_group, i64 b_group, int out_type, int a_type, int b_type,
              int transposed, float alpha) {
    __shared__ float left[DEPTH][TILE + 1];
    __shared__ float right[DEPTH][TILE + 1];
    UNLESS_FAILED(fault);
    i64 down = (m + TILE - 1) / TILE;
    i64 group = blockIdx.x / down;
    i64 row0 = blockIdx.x % down * TILE;
    i64 col0 = (i64)blockIdx.y * TILE;
    i64 a0 = group * a_group;
    i64 b0 = group * b_group;
    int tx = threadIdx.x % 16;
    int ty = threadIdx.x / 16;
    float sum[4][4] = {};
    for (i64 k0 = 0; k0 < k; k0 += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH; i += 256) {
            int r = i / DEPTH;
            int d = i % DEPTH;
            left[d][r] = row0 + r < m && k0 + d < k ? element(a, a_type, a0 + (row0 + r) * a_stride + k0 + d) : 0;
            if (transposed) {
                right[d][r] = col0 + r < n && k0 + d < k ? element(b, b_type, b0 + (col0 + r) * b_stride + k0 + d) : 0;
            } else {
                int c = i % TILE;
                int e = i / TILE;
                right[e][c] = col0 + c < n && k0 + e < k ? element(b, b_type, b0 + (k0 + e) * b_stride + col0 + c) : 0;
            }
        }
        __syncthreads();
        // Past the end of K both are zeros, so an infinity meets none.
        for (int d = 0; d < DEPTH; d++) {
            float x[4];
            float y[4];
            for (int i = 0; i < 4; i++) {
                x[i] = left[d][ty + 16 * i];
                y[i] = right[d][tx + 16 * i];
            }
            for (int i = 0; i < 4; i++) {
                for (int j = 0; j < 4; j++) {
                    sum[i][j] += x[i] * y[j];
                }
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
            i64 r = row0 + ty + 16 * i;
            i64 c = col0 + tx + 16 * j;
            if (r < m && c < n) {
                save(out, out_type, group * out_group + r * out_stride + c, alpha * sum[i][j]);
            }
        }
    }
}

// ---- Many rows of f32: tiles of 128 by 128, by 256 threads, 8 by 8 each.

#define WIDE 128
#define STEP 16

// Four elements from one row; those past the end are zeros.
struct alignas(16) Four {
    float x[4];
};

__device__ inline Four four(const float* p, i64 left, bool aligned) {
    if (aligned && left >= 4) {
        return *(const Four*)p;
    }
    Four f;
    for (int i = 0; i < 4; i++) {
        f.x[i] = i < left ? p[i] : 0;
    }
    return f;
}

// What a thread fetches of one operand for a step of K: two times four elements. Rows are along K, or along the tile.
struct Fetch {
    const float* data;
    i64 stride;
    i64 first;
    i64 rows;
    i64 k;
    bool along;
    bool aligned;

    __device__ Four get(int part, i64 k0) const {
        int t = threadIdx.x + 256 * part;
        i64 row = along ? first + t / 4 : k0 + t / 32;
        i64 col = along ? k0 + t % 4 * 4 : first + t % 32 * 4;
        i64 height = along ? rows : k;
        i64 width = along ? k : rows;
        return row < height ? four(data + row * stride + col, width - col, aligned) : Four{};
    }

    __device__ void put(Four (*to)[WIDE / 4 + 1], int part, Four f) const {
        int t = threadIdx.x + 256 * part;
        if (along) {
            for (int i = 0; i < 4; i++) {
                to[t % 4 * 4 + i][t / 16].x[t / 4 % 4] = f.x[i];
            }
        } else {
            to[t / 32][t % 32] = f;
        }
    }
};

KERNEL __launch_bounds__(256, 2) matmul_f32(Fault* fault, void* out, const float* a, const float* b, i64 m, i64 n, i64 k, i64 out_stride,
                  i64 a_stride, i64 b_stride, i64 out_group, i64 a_group, i64 b_group, int out_type, int transposed,
                  int aligned) {
    // A row has four elements more than the tile, so that rows start in different banks.
    __shared__ Four left[2][STEP][WIDE / 4 + 1];
    __shared__ Four right[2][STEP][WIDE / 4 + 1];
    UNLESS_FAILED(fault);
    i64 down = (m + WIDE - 1) / WIDE;
    i64 group = blockIdx.x / down;
    i64 row0 = blockIdx.x % down * WIDE;
    i64 col0 = (i64)blockIdx.y * WIDE;
    Fetch from_a = {a + group * a_group, a_stride, row0, m, k, true, aligned != 0};
    Fetch from_b = {b + group * b_group, b_stride, col0, n, k, transposed != 0, aligned != 0};
    int tx = threadIdx.x % 16;
    int ty = threadIdx.x / 16;
    float sum[8][8] = {};
    Four next[4];
    for (int p = 0; p < 2; p++) {
        next[p] = from_a.get(p, 0);
        next[2 + p] = from_b.get(p, 0);
    }
    int now = 0;
    for (i64 k0 = 0; k0 < k; k0 += STEP) {
        for (int p = 0; p < 2; p++) {
            from_a.put(left[now], p, next[p]);
            from_b.put(right[now], p, next[2 + p]);
        }
        __syncthreads();
        if (k0 + STEP < k) {
            for (int p = 0; p < 2; p++) {
                next[p] = from_a.get(p, k0 + STEP);
                next[2 + p] = from_b.get(p, k0 + STEP);
            }
        }
        // Past the end of K both are zeros, so an infinity meets none.
#pragma unroll
        for (int d = 0; d < STEP; d++) {
            Four x[2] = {left[now][d][ty], left[now][d][ty + 16]};
            Four y[2] = {right[now][d][tx], right[now][d][tx + 16]};
#pragma unroll
            for (int i = 0; i < 8; i++) {
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    sum[i][j] += x[i / 4].x[i % 4] * y[j / 4].x[j % 4];
                }
            }
        }
        now ^= 1;
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
        i64 r = row0 + 4 * ty + i % 4 + i / 4 * 64;
#pragma unroll
        for (int j = 0; j < 8; j++) {
            i64 c = col0 + 4 * tx + j % 4 + j / 4 * 64;
            if (r < m && c < n) {
                save(out, out_type, group * out_group + r * out_stride + c, sum[i][j]);
            }
        }
    }
}

// ---- Few rows of a, b as [N,K]: a block takes eight rows of b and up to eight of a; its warps share K between them.

#define COLS 8
#define ROWS 8

struct alignas(16) Chunk {
    u32 words[4];
};

// Elements of 16 bytes.
template <class T>
struct Run {
    enum { N = 16 / sizeof(T) };
    float x[N];
};

__device__ inline void unpack(Run<f32>& r, Chunk c) {
    for (int i = 0; i < 4; i++) {
        r.x[i] = __uint_as_float(c.words[i]);
    }
}

template <class T>
__device__ inline void unpack(Run<T>& r, Chunk c) {
    for (int i = 0; i < 8; i++) {
        r.x[i] = widen(T{(u16)(c.words[i / 2] >> i % 2 * 16)});
    }
}

template <class T>
__device__ inline Run<T> run_of(const T* p, i64 left, bool aligned) {
    Run<T> r;
    if (aligned && left >= Run<T>::N) {
        unpack(r, *(const Chunk*)p);
        return r;
    }
    for (int i = 0; i < Run<T>::N; i++) {
        r.x[i] = i < left ? widen(p[i]) : 0;
    }
    return r;
}

template <int N>
struct Count {};

// Sums of N values over a warp, in a fixed order: in each step a lane gives half of the values away, so that N / 32 are left, of
// those that begin with lane * N / 32; of fewer than 32 values, neighbours have the same.
template <int N, int D = 16>
__device__ inline void spread(float* v, Count<N>, Count<D> = {}) {
    int lane = threadIdx.x % 32;
    if constexpr (D > 0 && N > 1) {
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            float keep = lane & D ? v[i + N / 2] : v[i];
            v[i] = keep + __shfl_xor_sync(0xffffffffu, lane & D ? v[i] : v[i + N / 2], D);
        }
        spread(v, Count<N / 2>{}, Count<D / 2>{});
    } else if constexpr (D > 0) {
        v[0] += __shfl_xor_sync(0xffffffffu, v[0], D);
        spread(v, Count<1>{}, Count<D / 2>{});
    }
}

template <class T, int M>
__device__ inline void few(Fault* fault, void* out, const T* a, const T* b, i64 m, i64 n, i64 k, i64 out_stride,
                           i64 a_stride, i64 b_stride, int out_type, int aligned) {
    __shared__ float parts[8][COLS * ROWS];
    UNLESS_FAILED(fault);
    // Blocks that read the same rows of b are neighbours.
    i64 row_blocks = (m + M - 1) / M;
    i64 row0 = blockIdx.x % row_blocks * M;
    i64 col0 = blockIdx.x / row_blocks * COLS;
    int warp = threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    float sum[M][COLS] = {};
    for (i64 i = (i64)threadIdx.x * Run<T>::N; i < k; i += 256 * Run<T>::N) {
        Run<T> y[COLS];
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            i64 col = col0 + c < n ? col0 + c : n - 1;
            y[c] = run_of(b + col * b_stride + i, k - i, aligned != 0);
        }
#pragma unroll
        for (int r = 0; r < M; r++) {
            i64 row = row0 + r < m ? row0 + r : m - 1;
            Run<T> x = run_of(a + row * a_stride + i, k - i, aligned != 0);
#pragma unroll
            for (int c = 0; c < COLS; c++) {
#pragma unroll
                for (int j = 0; j < Run<T>::N; j++) {
                    sum[r][c] += x.x[j] * y[c].x[j];
                }
            }
        }
    }
    spread(&sum[0][0], Count<M * COLS>{});
    if (M * COLS >= 32) {
        for (int i = 0; i < M * COLS / 32; i++) {
            parts[warp][lane * (M * COLS / 32) + i] = sum[0][i];
        }
    } else if (lane % (32 / COLS) == 0) {
        parts[warp][lane / (32 / COLS)] = sum[0][0];
    }
    __syncthreads();
    if (threadIdx.x < M * COLS) {
        float s = 0;
        for (int w = 0; w < 8; w++) {
            s += parts[w][threadIdx.x];
        }
        i64 row = row0 + threadIdx.x / COLS;
        i64 col = col0 + threadIdx.x % COLS;
        if (row < m && col < n) {
            save(out, out_type, row * out_stride + col, s);
        }
    }
}

#define FEW(T, M)                                                                                                     \
    KERNEL few_##T##_##M(Fault* fault, void* out, const T* a, const T* b, i64 m, i64 n, i64 k, i64 out_stride,        \
                         i64 a_stride, i64 b_stride, int out_type, int aligned) {                                     \
        few<T, M>(fault, out, a, b, m, n, k, out_stride, a_stride, b_stride, out_type, aligned);                      \
    }
FEW(f32, 1)
FEW(f32, 4)
FEW(f32, 8)
FEW(f16, 1)
FEW(f16, 4)
FEW(f16, 8)
FEW(bf16, 1)
FEW(bf16, 4)
FEW(bf16, 8)
