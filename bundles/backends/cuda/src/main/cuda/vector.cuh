// Several neighbouring elements at once: accesses of up to 16 bytes, each aligned to its size.

// So many bytes as words; 1, 2 or a multiple of 4 bytes, aligned to their size or to 16.
template <int BYTES>
struct Words {
    u32 w[BYTES < 4 ? 1 : BYTES / 4];
};

template <int BYTES>
__device__ inline Words<BYTES> load_words(const void* p) {
    Words<BYTES> r;
    if constexpr (BYTES == 1) {
        r.w[0] = *(const unsigned char*)p;
    } else if constexpr (BYTES == 2) {
        r.w[0] = *(const u16*)p;
    } else if constexpr (BYTES == 4) {
        r.w[0] = *(const u32*)p;
    } else if constexpr (BYTES == 8) {
        uint2 v = *(const uint2*)p;
        r.w[0] = v.x;
        r.w[1] = v.y;
    } else {
#pragma unroll
        for (int i = 0; i < BYTES / 16; i++) {
            uint4 v = ((const uint4*)p)[i];
            r.w[4 * i] = v.x;
            r.w[4 * i + 1] = v.y;
            r.w[4 * i + 2] = v.z;
            r.w[4 * i + 3] = v.w;
        }
    }
    return r;
}

template <int BYTES>
__device__ inline void store_words(void* p, const Words<BYTES>& r) {
    if constexpr (BYTES == 1) {
        *(unsigned char*)p = (unsigned char)r.w[0];
    } else if constexpr (BYTES == 2) {
        *(u16*)p = (u16)r.w[0];
    } else if constexpr (BYTES == 4) {
        *(u32*)p = r.w[0];
    } else if constexpr (BYTES == 8) {
        *(uint2*)p = make_uint2(r.w[0], r.w[1]);
    } else {
#pragma unroll
        for (int i = 0; i < BYTES / 16; i++) {
            ((uint4*)p)[i] = make_uint4(r.w[4 * i], r.w[4 * i + 1], r.w[4 * i + 2], r.w[4 * i + 3]);
        }
    }
}

// N elements of a type as they lie in memory.
template <typename T, int N>
using Pack = Words<N * (int)sizeof(T)>;

template <int N>
__device__ inline void widen(float (&x)[N], const Words<4 * N>& p, f32) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        x[i] = __uint_as_float(p.w[i]);
    }
}

template <int N>
__device__ inline void widen(float (&x)[N], const Words<2 * N>& p, f16) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        x[i] = widen(f16{(u16)(p.w[i / 2] >> i % 2 * 16)});
    }
}

template <int N>
__device__ inline void widen(float (&x)[N], const Words<2 * N>& p, bf16) {
#pragma unroll
    for (int i = 0; i < N; i++) {
        x[i] = __uint_as_float(i % 2 ? p.w[i / 2] & 0xffff0000u : p.w[i / 2] << 16);
    }
}

// Two floats, rounded to bf16, the first in the lower half; no NaN.
__device__ inline u32 bf16_pair(float low, float high) {
#if defined(VT_ON_HOST) || __CUDA_ARCH__ < 800
    u32 a = __float_as_uint(low);
    u32 b = __float_as_uint(high);
    return (a + 0x7fff + (a >> 16 & 1)) >> 16 | ((b + 0x7fff + (b >> 16 & 1)) & 0xffff0000u);
#else
    u32 r;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low));
    return r;
#endif
}

template <int N>
__device__ inline Words<4 * N> narrow(const float (&x)[N], f32) {
    Words<4 * N> p;
#pragma unroll
    for (int i = 0; i < N; i++) {
        p.w[i] = __float_as_uint(x[i]);
    }
    return p;
}

// As store() does it one by one.
template <int N>
__device__ inline Words<2 * N> narrow(const float (&x)[N], bf16) {
    Words<2 * N> p;
    bool nan = false;
#pragma unroll
    for (int i = 0; i < N; i += 2) {
        p.w[i / 2] = bf16_pair(x[i], x[i + 1]);
        nan |= x[i] != x[i] || x[i + 1] != x[i + 1];
    }
    if (nan) {
#pragma unroll
        for (int i = 0; i < N; i += 2) {
            bf16 low;
            bf16 high;
            store(&low, x[i]);
            store(&high, x[i + 1]);
            p.w[i / 2] = low.bits | (u32)high.bits << 16;
        }
    }
    return p;
}

// N elements from and to memory; N is even.
template <typename T, int N>
__device__ inline void load_pack(float (&x)[N], const T* p) {
    widen(x, load_words<N * (int)sizeof(T)>(p), T());
}

template <typename T, int N>
__device__ inline void store_pack(T* p, const float (&x)[N]) {
    store_words(p, narrow(x, T()));
}

// The same for an operand whose type is an argument.
template <int N>
__device__ inline void load_pack(float (&x)[N], const void* p, int dtype, i64 i) {
    switch (dtype) {
        case F32:
            load_pack(x, (const f32*)p + i);
            break;
        case F16:
            load_pack(x, (const f16*)p + i);
            break;
        default:
            load_pack(x, (const bf16*)p + i);
    }
}

template <int N>
__device__ inline void store_pack(void* p, int dtype, i64 i, const float (&x)[N]) {
    if (dtype == F32) {
        store_pack((f32*)p + i, x);
    } else {
        store_pack((bf16*)p + i, x);
    }
}
