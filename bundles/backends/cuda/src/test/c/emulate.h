// Lets the kernels' sources compile as C++ and run on the host, for tests of their results: each thread of a block has a stack of
// its own, and they take turns at every barrier and every exchange within a warp. It says nothing about speed, and rounding may
// differ from a device's where the compiler there contracts a product and a sum.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <ucontext.h>
#include <utility>
#include <vector>

#define __global__
#define __device__
#define __forceinline__
#define __shared__ static
// The one line of assembly widens f16.
#define asm(...) y = emulated::half(x.bits)

namespace emulated {
struct Index { unsigned x, y, z; };
inline Index thread, block, threads, blocks;

struct Fiber { ucontext_t context; std::vector<char> stack; bool done; uint64_t slot; };
inline std::vector<Fiber> fibers;
inline ucontext_t scheduler;
inline size_t running;
inline void (*body)();

inline void next() { swapcontext(&fibers[running].context, &scheduler); thread = {(unsigned)running, 0, 0}; }

inline void start() { body(); fibers[running].done = true; swapcontext(&fibers[running].context, &scheduler); }

// Runs a block: round after round each thread goes on to its next barrier or exchange.
inline void run(void (*what)(), unsigned n) {
    body = what;
    fibers.resize(n);
    for (auto &f : fibers) {
        f.stack.resize(64 << 10);
        f.done = false;
        getcontext(&f.context);
        f.context.uc_stack.ss_sp = f.stack.data();
        f.context.uc_stack.ss_size = f.stack.size();
        f.context.uc_link = nullptr;
        makecontext(&f.context, start, 0);
    }
    for (bool more = true; more;) {
        more = false;
        for (running = 0; running < n; running++)
            if (!fibers[running].done) {
                thread = {(unsigned)running, 0, 0};
                swapcontext(&scheduler, &fibers[running].context);
                more = true;
            }
    }
}

template <class T> T exchange(T value, int distance) {
    static_assert(sizeof(T) <= 8);
    size_t me = running;
    std::memcpy(&fibers[me].slot, &value, sizeof value);
    next();
    T other;
    std::memcpy(&other, &fibers[me ^ distance].slot, sizeof other);
    next();
    return other;
}

inline float half(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                 : exponent     ? std::ldexp(1024.0f + fraction, exponent - 25)
                                : std::ldexp((float)fraction, -24);
    return std::copysign(size, bits >> 15 ? -1.0f : 1.0f);
}

inline void **given;
template <class... A, size_t... I> void unpack(void (*f)(A...), std::index_sequence<I...>) { f(*(A *)given[I]...); }
template <class... A> void invoke(void (*f)(A...)) { unpack(f, std::index_sequence_for<A...>{}); }
}

#define threadIdx emulated::thread
#define blockIdx emulated::block
#define blockDim emulated::threads
#define gridDim emulated::blocks
#define __syncthreads() emulated::next()
#define __threadfence_system() ((void)0)
#define __shfl_xor_sync(mask, value, distance) emulated::exchange(value, distance)

template <class T> T bits_of(auto x) { T y; std::memcpy(&y, &x, sizeof y); return y; }
#define __uint_as_float(x) bits_of<float>((uint32_t)(x))
#define __float_as_uint(x) bits_of<uint32_t>(x)
inline int atomicCAS(int *p, int expected, int value) { int old = *p; if (old == expected) *p = value; return old; }
template <class T> T atomicMin(T *p, T value) { T old = *p; if (value < old) *p = value; return old; }

// What the driver of the tests calls: one function a kernel.
#define EMULATE(NAME)                                                                             \
    extern "C" void emulate_##NAME(void **arguments, const unsigned *grid, unsigned n) {          \
        emulated::given = arguments;                                                              \
        emulated::threads = {n, 1, 1};                                                            \
        emulated::blocks = {grid[0], grid[1], grid[2]};                                           \
        for (unsigned y = 0; y < grid[1]; y++)                                                    \
            for (unsigned x = 0; x < grid[0]; x++) {                                              \
                emulated::block = {x, y, 0};                                                      \
                emulated::run([] { emulated::invoke(NAME); }, n);                                 \
            }                                                                                     \
    }
