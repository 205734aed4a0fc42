// Ops that move rows.

#include "flat.cuh"
#include "check.cuh"

template <typename In, typename Out>
struct EmbeddingBody {
    static constexpr int N = PACK<In, Out>;
    using Loaded = Pack<In, N>;
    Out* out;
    const In* table;
    const void* ids;
    int wide;
    // Packs of a row.
    i64 cols;

    __device__ Loaded load(i64 i) const {
        Cell at = cell(i, cols);
        return load_words<sizeof(In) * N>(table + (integer(ids, wide, at.row) * cols + at.col) * N);
    }

    __device__ void finish(i64 i, const Loaded& p) const {
        float v[N];
        widen(v, p, In());
        store_pack(out + i * N, v);
    }
};

// Few ids are looked at by every block, so that no kernel has to go before; many by check_range.
#define EMBEDDING(IN, OUT)                                                                                          \
    KERNEL embedding_##IN##_##OUT(Fault* fault, OUT* out, const IN* table, const void* ids, int wide, i64 n, i64 cols, \
                                  i64 few, i64 last, int site, int packed) {                                        \
        UNLESS_FAILED(fault);                                                                                       \
        if (!all_inside(fault, ids, wide, few, 0, last, site, blockIdx.x == 0)) {                                   \
            return;                                                                                                 \
        }                                                                                                           \
        if (packed) {                                                                                               \
            constexpr int N = PACK<IN, OUT>;                                                                        \
            over_packs(n / N, EmbeddingBody<IN, OUT>{out, table, ids, wide, cols / N});                             \
        } else {                                                                                                    \
            OVER_GRID(i, n) {                                                                                       \
                store(out + i, widen(table[integer(ids, wide, i / cols) * cols + i % cols]));                       \
            }                                                                                                       \
        }                                                                                                           \
    }

FOR_ALL_TYPES(EMBEDDING)

// Columns of qkv to three tensors, as units of their size; widths are numbers of units.
template <typename Unit>
struct SplitBody {
    using Loaded = Unit;
    Unit* q;
    Unit* k;
    Unit* v;
    const Unit* qkv;
    i64 nq;
    i64 nk;
    i64 nv;

    __device__ Loaded load(i64 i) const {
        return qkv[i];
    }

    __device__ void finish(i64 i, const Loaded& unit) const {
        Cell at = cell(i, nq + nk + nv);
        if (at.col < nq) {
            q[at.row * nq + at.col] = unit;
        } else if (at.col < nq + nk) {
            k[at.row * nk + at.col - nq] = unit;
        } else {
            v[at.row * nv + at.col - nq - nk] = unit;
        }
    }
};

#define QKV_SPLIT(NAME, UNIT)                                                                              \
    KERNEL NAME(Fault* fault, UNIT* q, UNIT* k, UNIT* v, const UNIT* qkv, i64 n, i64 nq, i64 nk, i64 nv) { \
        UNLESS_FAILED(fault);                                                                              \
        over_packs(n, SplitBody<UNIT>{q, k, v, qkv, nq, nk, nv});                                          \
    }

QKV_SPLIT(qkv_split_2, u16)
QKV_SPLIT(qkv_split_4, u32)
QKV_SPLIT(qkv_split_16, uint4)
