// Rows of sequences from a paged cache, one sequence after the other.
#include "some.cuh"
#include "check.cuh"

struct Gather {
    const int* table;
    const int* bounds;
    const int* owners;
    const int* starts;  // Or null: all 0.
    int width;
    int blocks;
    int block_size;
    int sequences;

    __device__ int start(int s) const {
        return starts ? starts[s] : 0;
    }
    // The row of its sequence that an output row is.
    __device__ int position(int t, int s) const {
        return start(s) + t - bounds[s];
    }
};

struct GatherSites {
    int bounds;
    int owners;
    int starts;
    int table;
};

// Sequences that ask for more rows than there are, or do not start at a block.
__device__ inline void check_starts(Fault* fault, const Gather& g, const GatherSites& sites) {
    i64 capacity = (i64)g.width * g.block_size;
    for (int s = threadIdx.x; s < g.sequences; s += blockDim.x) {
        i64 rows = g.bounds[s + 1] - g.bounds[s];
        if (rows > capacity) {
            outside(fault, sites.bounds, s + 1, g.bounds[s], g.bounds[s] + capacity, g.bounds[s + 1]);
        } else if (g.start(s) < 0 || g.start(s) > capacity - rows) {
            outside(fault, sites.starts, s, 0, capacity - rows, g.start(s));
        } else if (g.block_size > 0 && g.start(s) % g.block_size != 0) {
            // The next one below is what is right.
            i64 right = g.start(s) / g.block_size * g.block_size;
            outside(fault, sites.starts, s, right, right, g.start(s));
        }
    }
}

// Rows whose sequence is none, or not the one that the bounds give them to, or whose block is not there.
__device__ inline void check_rows(Fault* fault, const Gather& g, const GatherSites& sites, int rows) {
    for (int t = threadIdx.x; t < rows; t += blockDim.x) {
        int s = g.owners[t];
        if (s < 0 || s >= g.sequences) {
            outside(fault, sites.owners, t, 0, g.sequences - 1, s);
        } else if (t < g.bounds[s] || t >= g.bounds[s + 1]) {
            int right = 0;
            while (right + 1 < g.sequences && t >= g.bounds[right + 1]) {
                right++;
            }
            outside(fault, sites.owners, t, right, right, s);
        } else {
            int index = g.position(t, s) / g.block_size;
            int id = g.table[(i64)s * g.width + index];
            if (id < 0 || id >= g.blocks) {
                outside(fault, sites.table, (i64)s << 32 | index, 0, g.blocks - 1, id);
            }
        }
    }
}

// One block looks at everything before anything is written.
KERNEL gather_check(Fault* fault, const int* table, const int* bounds, const int* owners, const int* starts, int width, int blocks,
                    int block_size, int sequences, int rows, int bounds_site, int owners_site, int starts_site, int table_site) {
    UNLESS_FAILED(fault);
    Gather g = {table, bounds, owners, starts, width, blocks, block_size, sequences};
    GatherSites sites = {bounds_site, owners_site, starts_site, table_site};
    check_bounds(fault, bounds, sequences + 1, rows, bounds_site);
    UNLESS_FAILED(fault);
    check_starts(fault, g, sites);
    __syncthreads();
    UNLESS_FAILED(fault);
    check_rows(fault, g, sites, rows);
}

// N elements a thread.
#define GATHER(N)                                                                                                             \
    KERNEL gather_##N(Fault* fault, void* out, int out_type, const void* cache, int type, i64 block, int columns, i64 packs,  \
                      const int* table, const int* bounds, const int* owners, const int* starts, int width, int blocks,       \
                      int block_size, int sequences) {                                                                        \
        UNLESS_FAILED(fault);                                                                                                 \
        Gather g = {table, bounds, owners, starts, width, blocks, block_size, sequences};                                     \
        OVER_GRID(i, packs) {                                                                                                 \
            i64 at = i * N;                                                                                                   \
            int t = (int)(at / columns);                                                                                      \
            int s = owners[t];                                                                                                \
            int position = g.position(t, s);                                                                                  \
            i64 id = table[(i64)s * width + position / block_size];                                                           \
            i64 from = id * block + (i64)(position % block_size) * columns + (at - (i64)t * columns);                         \
            float x[N];                                                                                                       \
            fetch<N>(x, cache, type, from);                                                                                   \
            put<N>(out, out_type, at, x);                                                                                     \
        }                                                                                                                     \
    }

GATHER(1)
GATHER(8)
