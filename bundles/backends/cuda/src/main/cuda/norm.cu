// Normalisations: one block a row. Sums are made in double, so no finite row overflows them.

#define RMS_NORM(IN, OUT)                                                                                           \
    KERNEL rms_norm_##IN##_##OUT(Fault* fault, OUT* out, const IN* x, const void* weight, int weight_type,          \
                                 void* residual, int residual_type, i64 n, float eps, int gemma) {                  \
        UNLESS_FAILED(fault);                                                                                       \
        i64 row = blockIdx.x * n;                                                                                   \
        double squares = 0;                                                                                         \
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) {                                                         \
            float v = widen(x[row + i]);                                                                            \
            if (residual) {                                                                                         \
                save(residual, residual_type, row + i, v + load(residual, residual_type, row + i));                 \
                v = load(residual, residual_type, row + i);                                                         \
            }                                                                                                       \
            squares += (double)v * v;                                                                               \
        }                                                                                                           \
        float inverse = (float)(1.0 / sqrt(block_sum(squares) / n + eps));                                          \
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) {                                                         \
            float v = residual ? load(residual, residual_type, row + i) : widen(x[row + i]);                        \
            float w = load(weight, weight_type, i);                                                                 \
            store(out + row + i, v * inverse * (gemma ? w + 1.0f : w));                                             \
        }                                                                                                           \
    }

FOR_ALL_TYPES(RMS_NORM)

#define LAYER_NORM(IN, OUT)                                                                                         \
    KERNEL layer_norm_##IN##_##OUT(Fault* fault, OUT* out, const IN* x, const void* weight, int weight_type,        \
                                   const void* bias, int bias_type, i64 n, float eps) {                             \
        UNLESS_FAILED(fault);                                                                                       \
        i64 row = blockIdx.x * n;                                                                                   \
        double sum = 0;                                                                                             \
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) {                                                         \
            sum += widen(x[row + i]);                                                                               \
        }                                                                                                           \
        double mean = block_sum(sum) / n;                                                                           \
        double squares = 0;                                                                                         \
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) {                                                         \
            double d = widen(x[row + i]) - mean;                                                                    \
            squares += d * d;                                                                                       \
        }                                                                                                           \
        double inverse = 1.0 / sqrt(block_sum(squares) / n + eps);                                                  \
        for (i64 i = threadIdx.x; i < n; i += blockDim.x) {                                                         \
            float v = (float)((widen(x[row + i]) - mean) * inverse);                                                \
            float w = weight ? load(weight, weight_type, i) : 1.0f;                                                 \
            float b = bias ? load(bias, bias_type, i) : 0.0f;                                                       \
            store(out + row + i, v * w + b);                                                                        \
        }                                                                                                           \
    }

FOR_ALL_TYPES(LAYER_NORM)
