// The matrix units of compute capability 9.0: barriers in shared memory, bulk copies of tiles, products by warpgroups.
typedef unsigned long long u64;

// What the driver makes of a matrix, for the copy engine.
struct alignas(64) TensorMap {
    unsigned char bytes[128];
};

__device__ inline u32 shared_address(const void* p) {
    return (u32)__cvta_generic_to_shared(p);
}

__device__ inline u32 cluster_rank() {
    u32 r;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
    return r;
}

__device__ inline u32 cluster_size() {
    u32 r;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(r));
    return r;
}

__device__ inline void cluster_sync() {
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

// The address that a place in this block's shared memory has in another block of the cluster.
__device__ inline u32 shared_of(u32 address, u32 rank) {
    u32 r;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(r) : "r"(address), "r"(rank));
    return r;
}

__device__ inline void barrier_init(u32 barrier, u32 arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}

__device__ inline void barrier_init_done() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

__device__ inline void barrier_expect(u32 barrier, u32 bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}

__device__ inline void barrier_arrive(u32 barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__device__ inline void barrier_wait(u32 barrier, u32 parity) {
    asm volatile(
        "{\n.reg .pred p;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n"
        "@p bra done;\n"
        "bra again;\n"
        "done:\n}" ::"r"(barrier), "r"(parity) : "memory");
}

__device__ inline void map_prefetch(const TensorMap* map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

// A tile of a tensor of three dimensions to shared memory; what lies outside the tensor becomes zero.
__device__ inline void tile_load(u32 to, const TensorMap* map, u32 barrier, int x, int y, int z) {
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%3, %4, %5}], [%2];" ::
            "r"(to), "l"(map), "r"(barrier), "r"(x), "r"(y), "r"(z) : "memory");
}

// One step of an operand in shared memory, 16 elements of K, as the matrix units see it: rows of 128 bytes, swizzled as the copy
// engine does, in groups of eight rows. Rows are along K, or across it: then 64 elements make a row, and 64 rows follow each other.
template <int ACROSS>
__device__ inline u64 operand(u32 tile, int step) {
    u32 address = tile + step * (ACROSS ? 2048 : 32);
    u32 next = ACROSS ? 64 * 128 : 16;
    return (u64)((address & 0x3ffff) >> 4) | (u64)(next >> 4) << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

__device__ inline void products_begin() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ inline void products_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

template <int LEFT>
__device__ inline void products_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(LEFT) : "memory");
}

template <class A, class B>
struct Same {
    enum { YES = 0 };
};

template <class A>
struct Same<A, A> {
    enum { YES = 1 };
};

#define REGS4(i) "+f"(d[i]), "+f"(d[i + 1]), "+f"(d[i + 2]), "+f"(d[i + 3])
#define REGS8(i) REGS4(i), REGS4(i + 4)
#define REGS16(i) REGS8(i), REGS8(i + 8)
#define REGS32(i) REGS16(i), REGS16(i + 16)
#define REGS64(i) REGS32(i), REGS32(i + 32)
#define REGS128(i) REGS64(i), REGS64(i + 64)

#define PRODUCT(SHAPE, TYPE, LIST, REGS, LEFT, RIGHT, SUM, T1, T2)                                                  \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, " SUM ", 0;\nwgmma.mma_async.sync.aligned." SHAPE ".f32." TYPE \
                 "." TYPE " {" LIST "}, " LEFT ", " RIGHT ", p, 1, 1, " T1 ", " T2 ";\n}"                           \
                 : REGS : "l"(left), "l"(right), "r"(sum), "n"(LT), "n"(RT))

#define LIST4 \
    "%0, %1, %2, %3"
#define LIST8 \
    "%0, %1, %2, %3, %4, %5, %6, %7"
#define LIST16 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define LIST32 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define LIST64 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define LIST128 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, " \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, " \
    "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, " \
    "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, " \
    "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, " \
    "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, " \
    "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"

// d (64 by 8) = left * right, plus d where sum is not 0. T: f16 or bf16; LT, RT: 0 where the operand's rows are along K.
template <class T, int LT, int RT>
__device__ inline void product(float (&d)[4], u64 left, u64 right, int sum) {
    if constexpr (Same<T, f16>::YES) {
        PRODUCT("m64n8k16", "f16", LIST4, REGS4(0), "%4", "%5", "%6", "%7", "%8");
    } else {
        PRODUCT("m64n8k16", "bf16", LIST4, REGS4(0), "%4", "%5", "%6", "%7", "%8");
    }
}

// d (64 by 16) = left * right, plus d where sum is not 0. T: f16 or bf16; LT, RT: 0 where the operand's rows are along K.
template <class T, int LT, int RT>
__device__ inline void product(float (&d)[8], u64 left, u64 right, int sum) {
    if constexpr (Same<T, f16>::YES) {
        PRODUCT("m64n16k16", "f16", LIST8, REGS8(0), "%8", "%9", "%10", "%11", "%12");
    } else {
        PRODUCT("m64n16k16", "bf16", LIST8, REGS8(0), "%8", "%9", "%10", "%11", "%12");
    }
}

// d (64 by 32) = left * right, plus d where sum is not 0. T: f16 or bf16; LT, RT: 0 where the operand's rows are along K.
template <class T, int LT, int RT>
__device__ inline void product(float (&d)[16], u64 left, u64 right, int sum) {
    if constexpr (Same<T, f16>::YES) {
        PRODUCT("m64n32k16", "f16", LIST16, REGS16(0), "%16", "%17", "%18", "%19", "%20");
    } else {
        PRODUCT("m64n32k16", "bf16", LIST16, REGS16(0), "%16", "%17", "%18", "%19", "%20");
    }
}

// d (64 by 64) = left * right, plus d where sum is not 0. T: f16 or bf16; LT, RT: 0 where the operand's rows are along K.
template <class T, int LT, int RT>
__device__ inline void product(float (&d)[32], u64 left, u64 right, int sum) {
    if constexpr (Same<T, f16>::YES) {
        PRODUCT("m64n64k16", "f16", LIST32, REGS32(0), "%32", "%33", "%34", "%35", "%36");
    } else {
        PRODUCT("m64n64k16", "bf16", LIST32, REGS32(0), "%32", "%33", "%34", "%35", "%36");
    }
}

// d (64 by 128) = left * right, plus d where sum is not 0. T: f16 or bf16; LT, RT: 0 where the operand's rows are along K.
template <class T, int LT, int RT>
__device__ inline void product(float (&d)[64], u64 left, u64 right, int sum) {
    if constexpr (Same<T, f16>::YES) {
        PRODUCT("m64n128k16", "f16", LIST64, REGS64(0), "%64", "%65", "%66", "%67", "%68");
    } else {
        PRODUCT("m64n128k16", "bf16", LIST64, REGS64(0), "%64", "%65", "%66", "%67", "%68");
    }
}

// d (64 by 256) = left * right, plus d where sum is not 0. T: f16 or bf16; LT, RT: 0 where the operand's rows are along K.
template <class T, int LT, int RT>
__device__ inline void product(float (&d)[128], u64 left, u64 right, int sum) {
    if constexpr (Same<T, f16>::YES) {
        PRODUCT("m64n256k16", "f16", LIST128, REGS128(0), "%128", "%129", "%130", "%131", "%132");
    } else {
        PRODUCT("m64n256k16", "bf16", LIST128, REGS128(0), "%128", "%129", "%130", "%131", "%132");
    }
}

// The pool of shared memory from its first multiple of 1024 bytes, which the swizzle wants.
__device__ inline u32 pool_start(const unsigned char* pool) {
    return (shared_address(pool) + 1023) & ~1023u;
}

// alpha * a * b goes to out[M,N], for each pair of matrices; strides are in elements.
struct Output {
    void* data;
    i64 m;
    i64 n;
    i64 stride;
    i64 group;
    int type;
    float alpha;
};
