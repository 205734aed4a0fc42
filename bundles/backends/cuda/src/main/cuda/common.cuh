// What every module starts with; further files are included by name. Tests also compile all of it for the host (VT_ON_HOST). No header of CUDA's is used: a machine that runs vt has the driver and NVRTC, not the toolkit.
typedef unsigned short u16;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

#define KERNEL extern "C" __global__ void

// Shared memory whose size the launch gives, aligned to 128 bytes.
#ifdef VT_ON_HOST
#define DYNAMIC_SHARED(name) unsigned char* name = emulated::dynamic_shared
#else
#define DYNAMIC_SHARED(name) extern __shared__ __align__(128) unsigned char name[]
#endif

// How a kernel fails its queue. A set flag makes later kernels do nothing.
struct Fault {
    int flag;
    int pad;
    volatile i64* host;
};

#define UNLESS_FAILED(fault) if ((fault)->flag != 0) return

// Reports an integer outside its bounds; the first report counts.
__device__ inline void outside(Fault* fault, int site, i64 index, i64 low, i64 high, i64 given) {
    if (atomicCAS(&fault->flag, 0, 1) == 0) {
        fault->host[1] = index;
        fault->host[2] = low;
        fault->host[3] = high;
        fault->host[4] = given;
        __threadfence_system();
        fault->host[0] = site;
    }
}

// Element types. Reading widens to f32; storing rounds to nearest, ties to even, and keeps a NaN one.
struct f16 {
    u16 bits;
};
struct bf16 {
    u16 bits;
};
typedef float f32;

__device__ inline float widen(f32 x) {
    return x;
}

__device__ inline float widen(f16 x) {
#ifdef VT_ON_HOST
    return emulated::half(x.bits);
#else
    float y;
    asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x.bits));
    return y;
#endif
}

__device__ inline float widen(bf16 x) {
    return __uint_as_float((u32)x.bits << 16);
}

__device__ inline void store(f32* p, float x) {
    *p = x;
}

__device__ inline void store(bf16* p, float x) {
    u32 bits = __float_as_uint(x);
    p->bits = x != x ? (u16)(bits >> 16 | 0x40) : (u16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// The same for operands whose type is an argument; the numbers are those of the runtime's element types.
enum Dtype { F32 = 0, F16 = 1, BF16 = 2 };

__device__ inline float load(const void* p, int dtype, i64 i) {
    switch (dtype) {
        case F32:
            return ((const f32*)p)[i];
        case F16:
            return widen(((const f16*)p)[i]);
        default:
            return widen(((const bf16*)p)[i]);
    }
}

__device__ inline void save(void* p, int dtype, i64 i, float x) {
    if (dtype == F32) {
        ((f32*)p)[i] = x;
    } else {
        store((bf16*)p + i, x);
    }
}

// Each kernel that is written once for all element types: KERNEL name_in_out.
#define FOR_ALL_TYPES(M) M(f32, f32) M(f16, f32) M(bf16, f32) M(f32, bf16) M(f16, bf16) M(bf16, bf16)

// Elements i, i + step, ... of n, over the whole grid.
#define OVER_GRID(i, n) \
    for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x, step = (i64)gridDim.x * blockDim.x; i < (n); i += step)

// The sum over a block of a multiple of 32 threads, in a fixed order; every thread gets it.
__device__ inline double block_sum(double x) {
    __shared__ double parts[32];
    for (int d = 16; d > 0; d >>= 1) {
        x += __shfl_xor_sync(0xffffffffu, x, d);
    }
    int warps = blockDim.x >> 5;
    if ((threadIdx.x & 31) == 0) {
        parts[threadIdx.x >> 5] = x;
    }
    __syncthreads();
    double sum = 0;
    for (int w = 0; w < warps; w++) {
        sum += parts[w];
    }
    __syncthreads();
    return sum;
}
