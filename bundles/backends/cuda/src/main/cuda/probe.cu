// dropin_probe: writes down what it was given. One thread.

#define TENSOR 12

// A tensor with its first sizes and strides; the others are 0.
__device__ inline void describe(i64* to, const unsigned char* p, int present, i64 dtype, int rank, i64 size0, i64 size1,
                                i64 stride0, i64 stride1) {
    for (int i = 0; i < TENSOR; i++) {
        to[i] = 0;
    }
    if (present) {
        to[0] = 1;
        to[1] = dtype;
        to[2] = rank;
        to[3] = size0;
        to[4] = rank > 1 ? size1 : 0;
        to[7] = stride0;
        to[8] = rank > 1 ? stride1 : 0;
        to[11] = size0 == 0 || (rank > 1 && size1 == 0) ? -1 : p[0];
    }
}

KERNEL dropin_probe(Fault* fault, i64* out, i64 version, i64 integer, i64 real, i64 flag, const unsigned char* x,
                    i64 x_type, i64 x_rows, i64 x_cols, i64 x_stride0, i64 x_stride1, const unsigned char* ids,
                    i64 ids_type, i64 ids_size, i64 ids_stride, const unsigned char* scale, int scaled, i64 scale_type,
                    i64 scale_size, i64 scale_stride) {
    UNLESS_FAILED(fault);
    out[0] = version;
    out[1] = integer;
    out[2] = real;
    out[3] = flag;
    describe(out + 4, x, 1, x_type, 2, x_rows, x_cols, x_stride0, x_stride1);
    describe(out + 4 + TENSOR, ids, 1, ids_type, 1, ids_size, 0, ids_stride, 0);
    describe(out + 4 + 2 * TENSOR, scale, scaled, scale_type, 1, scale_size, 0, scale_stride, 0);
}
