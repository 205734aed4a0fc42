package dev.vt.backend.cpu.internal.kernel;

import dev.vt.api.tensor.Tensor;
import dev.vt.backend.cpu.CpuWorkers;
import dev.vt.ops.kernel.ScaleLayout;
import java.util.Arrays;

/** Where a quantisation to nvfp4 writes: codes and block scales. Immutable; threads may share it. */
final class Fp4Target {
    private static final int GROUP = Nvfp4Rows.GROUP;
    private static final float LARGEST = 6f;

    private final Bytes codes;
    private final Bytes scales;
    private final ScaleLayout layout;
    private final float globalScale;
    private final long rows;
    private final long groups;
    private final long scaleBytes;

    Fp4Target(Tensor packed, Tensor scale, float globalScale, ScaleLayout layout) {
        this.codes = Bytes.of(packed);
        this.scales = Bytes.of(scale);
        this.layout = layout;
        this.globalScale = globalScale;
        this.rows = packed.dim(0);
        this.groups = 2 * packed.lastDim() / GROUP;
        this.scaleBytes = scale.elements();
    }

    /** Brings {@code n} elements of a row, from a column on, to floats. */
    @FunctionalInterface
    interface Source {
        void read(long row, long col, int n, float[] to);
    }

    /** Quantises everything that the source gives. */
    void fill(CpuWorkers workers, double nanosPerElement, Source source) {
        if (layout == ScaleLayout.SWIZZLED) {
            scales.segment().asSlice(scales.base(), scaleBytes).fill((byte) 0);
        }
        int most = Elementwise.CHUNK / GROUP;
        workers.forRange(rows * groups, Work.grain(GROUP * nanosPerElement), (begin, end) -> {
            float[] x = new float[(int) Math.min(most, end - begin) * GROUP];
            long at = begin;
            while (at < end) {
                long row = at / groups;
                long group = at - row * groups;
                int n = (int) Math.min(most, Math.min(groups - group, end - at));
                source.read(row, group * GROUP, n * GROUP, x);
                for (int i = 0; i < n; i++) {
                    write(row, group + i, x, i * GROUP);
                }
                at += n;
            }
        });
    }

    private void write(long row, long group, float[] x, int at) {
        float largest = 0;
        for (int i = at; i < at + GROUP; i++) {
            largest = Math.max(largest, Math.abs(x[i]));
        }
        byte scale = Fp8.encode(largest / LARGEST * globalScale);
        scales.set(layout.at(row, group, groups), scale);
        float s = Fp8.decode(scale);
        if (s == 0) {
            Arrays.fill(x, at, at + GROUP, 0f);
        }
        float factor = s == 0 ? 0 : Math.min(globalScale / s, Float.MAX_VALUE);
        for (int i = 0; i < GROUP; i += 2) {
            int low = Fp4.encode(x[at + i] * factor);
            int high = Fp4.encode(x[at + i + 1] * factor);
            codes.set(row, (group * GROUP + i) / 2, (byte) (high << 4 | low));
        }
    }
}
