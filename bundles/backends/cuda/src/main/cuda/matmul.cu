// Matrix products of any float types, f32 accumulation, without matrix units: what serves where nothing better does.

#define TILE 64
#define DEPTH 16

// out[M,N] = a[M,K] * b, where b is [K,N], or [N,K] when transposed. 256 threads make a tile of 64 by 64, 4 by 4 each.
KERNEL matmul(Fault* fault, void* out, const void* a, const void* b, i64 m, i64 n, i64 k, i64 out_stride, i64 a_stride,
              i64 b_stride, int out_type, int a_type, int b_type, int transposed) {
    __shared__ float left[DEPTH][TILE + 1];
    __shared__ float right[DEPTH][TILE + 1];
    UNLESS_FAILED(fault);
    i64 row0 = (i64)blockIdx.x * TILE;
    i64 col0 = (i64)blockIdx.y * TILE;
    int tx = threadIdx.x % 16;
    int ty = threadIdx.x / 16;
    float sum[4][4] = {};
    for (i64 k0 = 0; k0 < k; k0 += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH; i += 256) {
            int r = i / DEPTH;
            int d = i % DEPTH;
            left[d][r] = row0 + r < m && k0 + d < k ? load(a, a_type, (row0 + r) * a_stride + k0 + d) : 0;
            if (transposed) {
                right[d][r] = col0 + r < n && k0 + d < k ? load(b, b_type, (col0 + r) * b_stride + k0 + d) : 0;
            } else {
                int c = i % TILE;
                int e = i / TILE;
                right[e][c] = col0 + c < n && k0 + e < k ? load(b, b_type, (k0 + e) * b_stride + col0 + c) : 0;
            }
        }
        __syncthreads();
        // Past the end of K nothing is added: a zero times an infinity would be a NaN.
        int depth = k - k0 < DEPTH ? (int)(k - k0) : DEPTH;
        for (int d = 0; d < depth; d++) {
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
                save(out, out_type, r * out_stride + c, sum[i][j]);
            }
        }
    }
}

// The same for few rows of a and b as [N,K]: a warp makes one element.
KERNEL matvec_bt(Fault* fault, void* out, const void* a, const void* b, i64 m, i64 n, i64 k, i64 out_stride, i64 a_stride,
                 i64 b_stride, int out_type, int a_type, int b_type) {
    UNLESS_FAILED(fault);
    i64 item = ((i64)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (item >= m * n) {
        return;
    }
    // Neighbouring warps share a row of b.
    i64 c = item / m;
    i64 r = item % m;
    float sum = 0;
    for (i64 i = lane; i < k; i += 32) {
        sum += load(a, a_type, r * a_stride + i) * load(b, b_type, c * b_stride + i);
    }
    for (int d = 16; d > 0; d >>= 1) {
        sum += __shfl_xor_sync(0xffffffffu, sum, d);
    }
    if (lane == 0) {
        save(out, out_type, r * out_stride + c, sum);
    }
}
