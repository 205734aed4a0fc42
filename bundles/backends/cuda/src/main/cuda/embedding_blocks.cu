// Rows of tables in a block encoding.
#include "blocks.cuh"
#include "check.cuh"

// A thread makes the four elements of a quarter.
template <class F>
__device__ inline void embed(void* out, int type, const u8* table, const void* ids, int wide, i64 n, i64 cols) {
    OVER_GRID(i, n / 4) {
        i64 row = i / (cols / 4);
        int at = (int)(i % (cols / 4));
        const u8* block = table + (integer(ids, wide, row) * (cols / F::ELEMENTS) + at * 4 / F::ELEMENTS) * F::BYTES;
        int unit = at * 4 % F::ELEMENTS / 32;
        int which = at / 4 % 2;
        u32 codes = F::codes(block, unit, which, at % 4);
        Scale by = F::scale(block, unit, which);
        for (int j = 0; j < 4; j++) {
            float x = by.scale * F::Codes::number(codes >> 8 * j & 255);
            save(out, type, 4 * i + j, F::MINS ? x - by.min : x);
        }
    }
}

#define EMBEDDING(FORMAT, NAME)                                                                                            \
    KERNEL embedding_##NAME(Fault* fault, void* out, int type, const u8* table, const void* ids, int wide, i64 n, i64 cols) { \
        UNLESS_FAILED(fault);                                                                                              \
        embed<FORMAT>(out, type, table, ids, wide, n, cols);                                                               \
    }

EMBEDDING(Q4_0, q4_0)
EMBEDDING(Q5_0, q5_0)
EMBEDDING(Q8_0, q8_0)
EMBEDDING(Q2K, q2_k)
EMBEDDING(Q3K, q3_k)
EMBEDDING(Q4K, q4_k)
EMBEDDING(Q5K, q5_k)
EMBEDDING(Q6K, q6_k)
EMBEDDING(Iq4Nl, iq4_nl)
EMBEDDING(Mxfp4, mxfp4)
