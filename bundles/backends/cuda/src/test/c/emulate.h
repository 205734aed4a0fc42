// Lets the kernels' sources compile as C++ and run on the host, for tests of their results: each thread of a block has a stack of
// its own, and they take turns at every barrier and every exchange within a warp. A barrier that not all threads come to ends the
// process with a sentence. It says nothing about speed, and rounding may differ from a device's where the compiler there
// contracts a product and a sum.
#include <algorithm>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <tuple>
#include <ucontext.h>
#include <utility>
#include <vector>

// Sources leave out what only a device's assembler knows.
#define VT_ON_HOST 1
#define __global__
#define __device__
#define __forceinline__
#define __noinline__
#define __constant__ static
#define __align__(n) alignas(n)
#define __launch_bounds__(...)
#define __shared__ static

namespace emulated {
struct Index { unsigned x, y, z; };
inline Index thread, block, threads, blocks;

enum Wait { NONE, WARP, BLOCK };
struct Fiber {
    jmp_buf at;
    std::vector<char> stack;
    bool begun, done;
    Wait wait;
    unsigned mask;
    uint64_t slot;
};
inline std::vector<Fiber> fibers;
inline jmp_buf scheduler;
inline size_t running, count;
inline void (*body)();

inline void pause(Wait why, unsigned mask) {
    Fiber &me = fibers[running];
    me.wait = why;
    me.mask = mask;
    if (_setjmp(me.at) == 0) _longjmp(scheduler, 1);
}

inline void start() {
    body();
    fibers[running].done = true;
    _longjmp(scheduler, 1);
}

inline void go(size_t which) {
    running = which;
    thread = {(unsigned)which, 0, 0};
    Fiber &f = fibers[which];
    if (_setjmp(scheduler) != 0) return;
    if (f.begun) _longjmp(f.at, 1);
    f.begun = true;
    static ucontext_t own, back;
    getcontext(&own);
    own.uc_stack.ss_sp = f.stack.data();
    own.uc_stack.ss_size = f.stack.size();
    own.uc_link = nullptr;
    makecontext(&own, start, 0);
    swapcontext(&back, &own);
}

// Lets the lanes of a warp go on once all that are named by the first one's mask are there.
inline bool release_warp(size_t first) {
    size_t end = std::min(first + 32, count);
    bool any = false;
    for (size_t i = first; i < end; i++) {
        if (fibers[i].done || fibers[i].wait != WARP) continue;
        unsigned mask = fibers[i].mask;
        bool all = true;
        for (size_t j = first; j < end; j++)
            if ((mask >> (j - first) & 1) && !fibers[j].done && (fibers[j].wait != WARP || fibers[j].mask != mask)) all = false;
        if (!all) continue;
        for (size_t j = first; j < end; j++)
            if (!fibers[j].done && fibers[j].wait == WARP && fibers[j].mask == mask) fibers[j].wait = NONE;
        any = true;
    }
    return any;
}

inline bool release_block() {
    for (size_t i = 0; i < count; i++)
        if (!fibers[i].done && fibers[i].wait != BLOCK) return false;
    for (size_t i = 0; i < count; i++) fibers[i].wait = NONE;
    return true;
}

// Runs a block: each thread goes on to its next barrier or exchange, and again.
inline void run(void (*what)(), unsigned n) {
    body = what;
    count = n;
    if (fibers.size() < n) fibers.resize(n);
    for (size_t i = 0; i < n; i++) {
        Fiber &f = fibers[i];
        if (f.stack.empty()) f.stack.resize(64 << 10);
        f.begun = f.done = false;
        f.wait = NONE;
    }
    for (;;) {
        bool live = false, ran = false;
        for (size_t i = 0; i < n; i++)
            if (!fibers[i].done && fibers[i].wait == NONE) { go(i); ran = true; }
        for (size_t i = 0; i < n; i += 32) ran |= release_warp(i);
        for (size_t i = 0; i < n; i++) live |= !fibers[i].done;
        if (!live) return;
        if (!release_block() && !ran) {
            std::fprintf(stderr, "a kernel's threads wait for each other for ever: block %u %u %u\n", block.x, block.y, block.z);
            std::abort();
        }
    }
}

inline size_t lane_to_thread(unsigned lane) { return (running & ~size_t{31}) + (lane & 31); }

template <class T> T exchange(unsigned mask, T value, unsigned lane) {
    static_assert(sizeof(T) <= 8);
    std::memcpy(&fibers[running].slot, &value, sizeof value);
    pause(WARP, mask);
    T other = value;
    size_t from = lane_to_thread(lane);
    if (from < count) std::memcpy(&other, &fibers[from].slot, sizeof other);
    pause(WARP, mask);
    return other;
}

inline unsigned ballot(unsigned mask, bool yes) {
    fibers[running].slot = yes;
    pause(WARP, mask);
    unsigned all = 0;
    for (unsigned i = 0; i < 32; i++) {
        size_t from = lane_to_thread(i);
        if ((mask >> i & 1) && from < count && !fibers[from].done && fibers[from].slot) all |= 1u << i;
    }
    pause(WARP, mask);
    return all;
}

inline float half(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                 : exponent     ? std::ldexp(1024.0f + fraction, exponent - 25)
                                : std::ldexp((float)fraction, -24);
    return std::copysign(size, bits >> 15 ? -1.0f : 1.0f);
}

// What the matrix units do: c[16,8] += a[16,16] * b[16,8] of bf16, spread over a warp's lanes as the device has it.
struct Fragment { unsigned a[4], b[2]; };
inline Fragment fragments[1024];

inline float half_of(unsigned pair, int k) {
    unsigned bits = k ? pair & 0xffff0000u : pair << 16;
    float x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

inline void multiply_add(float (&c)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    fragments[running] = {{a[0], a[1], a[2], a[3]}, {b0, b1}};
    pause(WARP, 0xffffffffu);
    size_t first = running & ~size_t{31};
    size_t lane = running & 31;
    for (int i = 0; i < 4; i++) {
        size_t row = first + lane / 4 * 4, column = first + (lane % 4 * 2 + i % 2) * 4;
        double sum = 0;
        for (int k = 0; k < 16; k++) {
            const Fragment &left = fragments[row + k % 8 / 2], &right = fragments[column + k % 8 / 2];
            sum += (double)half_of(left.a[k / 8 * 2 + i / 2], k % 2) * half_of(right.b[k / 8], k % 2);
        }
        c[i] += (float)sum;
    }
    pause(WARP, 0xffffffffu);
}

// As much as the largest block may ask for; what lies there at the start is nothing that a kernel may count on.
alignas(128) inline unsigned char dynamic_shared[228 << 10];

inline void **given;
template <class... A, size_t... I> void unpack(void (*f)(A...), std::index_sequence<I...>) { f(*(A *)given[I]...); }
template <class... A> void invoke(void (*f)(A...)) { unpack(f, std::index_sequence_for<A...>{}); }
}

#define threadIdx emulated::thread
#define blockIdx emulated::block
#define blockDim emulated::threads
#define gridDim emulated::blocks
#define __syncthreads() emulated::pause(emulated::BLOCK, 0)
#define __syncwarp(...) emulated::pause(emulated::WARP, 0xffffffffu)
#define __threadfence_system() ((void)0)
#define __threadfence() ((void)0)
#define __threadfence_block() ((void)0)
inline unsigned lane_id() { return emulated::running & 31; }
#define __shfl_xor_sync(mask, value, distance) emulated::exchange(mask, value, lane_id() ^ (distance))
#define __shfl_sync(mask, value, lane) emulated::exchange(mask, value, lane)
#define __shfl_down_sync(mask, value, d) emulated::exchange(mask, value, lane_id() + (d) > 31 ? lane_id() : lane_id() + (d))
#define __shfl_up_sync(mask, value, d) emulated::exchange(mask, value, lane_id() < (unsigned)(d) ? lane_id() : lane_id() - (d))
#define __ballot_sync(mask, yes) emulated::ballot(mask, yes)
#define __any_sync(mask, yes) (emulated::ballot(mask, yes) != 0)
#define __all_sync(mask, yes) (emulated::ballot(mask, !(yes)) == 0)

template <class T> T bits_of(auto x) { T y; std::memcpy(&y, &x, sizeof y); return y; }
#define __uint_as_float(x) bits_of<float>((uint32_t)(x))
#define __int_as_float(x) bits_of<float>((int32_t)(x))
#define __float_as_uint(x) bits_of<uint32_t>((float)(x))
#define __float_as_int(x) bits_of<int32_t>((float)(x))
#define __double_as_longlong(x) bits_of<long long>((double)(x))
#define __longlong_as_double(x) bits_of<double>((long long)(x))
template <class T> T atomicCAS(T *p, T expected, T value) { T old = *p; if (old == expected) *p = value; return old; }
template <class T> T atomicMin(T *p, T value) { T old = *p; if (value < old) *p = value; return old; }
template <class T> T atomicMax(T *p, T value) { T old = *p; if (value > old) *p = value; return old; }
template <class T> T atomicAdd(T *p, T value) { T old = *p; *p += value; return old; }
template <class T> T atomicOr(T *p, T value) { T old = *p; *p |= value; return old; }
template <class T> T atomicExch(T *p, T value) { T old = *p; *p = value; return old; }
template <class T> T __ldg(const T *p) { return *p; }
template <class T> T __ldcs(const T *p) { return *p; }
template <class T> void __stcs(T *p, T value) { *p = value; }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __clz(int x) { return x ? __builtin_clz(x) : 32; }
inline int __clzll(long long x) { return x ? __builtin_clzll(x) : 64; }
inline int __dp4a(int a, int b, int c) {
    for (int i = 0; i < 4; i++) c += (int)(int8_t)(a >> 8 * i) * (int)(int8_t)(b >> 8 * i);
    return c;
}
inline unsigned __byte_perm(unsigned a, unsigned b, unsigned s) {
    uint64_t both = (uint64_t)b << 32 | a;
    unsigned r = 0;
    for (int i = 0; i < 4; i++) r |= (unsigned)(both >> 8 * (s >> 4 * i & 7) & 255) << 8 * i;
    return r;
}
inline float __expf(float x) { return std::exp(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline float __fmul_rn(float a, float b) { return a * b; }
inline float __fadd_rn(float a, float b) { return a + b; }
inline double __dmul_rn(double a, double b) { return a * b; }
inline double __dadd_rn(double a, double b) { return a + b; }
inline float rsqrtf(float x) { return (float)(1.0 / std::sqrt((double)x)); }
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }
template <class A, class B> auto min(A a, B b) { using T = std::common_type_t<A, B>; return (T)b < (T)a ? (T)b : (T)a; }
template <class A, class B> auto max(A a, B b) { using T = std::common_type_t<A, B>; return (T)a < (T)b ? (T)b : (T)a; }
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
inline float2 make_float2(float x, float y) { return {x, y}; }
inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
inline int2 make_int2(int x, int y) { return {x, y}; }
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }

// What the driver of the tests calls: one function a kernel.
#define EMULATE(NAME)                                                                             \
    extern "C" void emulate_##NAME(void **arguments, const unsigned *grid, unsigned n) {          \
        emulated::given = arguments;                                                              \
        emulated::threads = {n, 1, 1};                                                            \
        emulated::blocks = {grid[0], grid[1], grid[2]};                                           \
        for (unsigned z = 0; z < grid[2]; z++)                                                    \
            for (unsigned y = 0; y < grid[1]; y++)                                                \
                for (unsigned x = 0; x < grid[0]; x++) {                                          \
                    emulated::block = {x, y, z};                                                  \
                    std::memset(emulated::dynamic_shared, 0xCD, sizeof emulated::dynamic_shared); \
                    emulated::run([] { emulated::invoke(NAME); }, n);                             \
                }                                                                                 \
    }
