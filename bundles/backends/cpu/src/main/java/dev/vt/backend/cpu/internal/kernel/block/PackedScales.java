package dev.vt.backend.cpu.internal.kernel.block;

import java.lang.foreign.MemorySegment;

/** The 12 bytes in which q4_K and q5_K keep eight 6-bit scales and eight 6-bit minima, one pair for 32 elements. */
final class PackedScales {
    private PackedScales() {}

    static int scale(MemorySegment s, long at, int j) {
        return j < 4 ? Blocks.u8(s, at + j) & 63 : Blocks.u8(s, at + j + 4) & 15 | Blocks.u8(s, at + j - 4) >> 6 << 4;
    }

    static int min(MemorySegment s, long at, int j) {
        return j < 4 ? Blocks.u8(s, at + j + 4) & 63 : Blocks.u8(s, at + j + 4) >> 4 | Blocks.u8(s, at + j) >> 6 << 4;
    }
}
