// e4m3 to f16, which holds each of its numbers exactly: for products whose sums must be as exact as f32, which those of the matrix
// units' own e4m3 are not.

struct alignas(16) Half8 {
    u32 words[4];
};

// Rows of a multiple of 16 bytes, with a stride; the result is dense. A thread takes 16 bytes. Turned: of each 16 numbers, first those
// of the lower halves of the four words, then those of the upper ones, as slim_e4m3_sm90.cu wants them.
KERNEL widen_e4m3(Fault* fault, Half8* out, const unsigned char* in, i64 rows, i64 cols, i64 stride, int turned) {
    UNLESS_FAILED(fault);
    i64 chunks = cols / 16;
    OVER_GRID(i, rows * chunks) {
        Half8 codes = *(const Half8*)(in + i / chunks * stride + i % chunks * 16);
        Half8 numbers[2];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            u16 pair = (u16)(turned ? codes.words[j % 4] >> j / 4 * 16 : codes.words[j / 2] >> j % 2 * 16);
            asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(numbers[j / 4].words[j % 4]) : "h"(pair));
        }
        out[2 * i] = numbers[0];
        out[2 * i + 1] = numbers[1];
    }
}
