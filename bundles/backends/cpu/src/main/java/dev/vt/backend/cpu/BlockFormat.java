package dev.vt.backend.cpu;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.backend.cpu.internal.kernel.block.BlockFormats;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * A block encoding of the GGUF format as pure functions between bytes and floats. Kernels use it to read weights that
 * they have no faster way for. Stateless, so any thread may call it. It checks no more than what memory segments and
 * arrays check, and it never looks beyond the blocks that it was asked for. Source: the GGUF format description and the
 * type list of ggml.
 *
 * <p>Decoding is exact up to one rounding to f32 where a format subtracts a minimum. A scale that is infinite or NaN
 * gives infinities and NaN by the rules of float arithmetic.
 */
@ProviderType
public interface BlockFormat {
    /** The element type that this decodes. */
    DType dtype();

    /**
     * Decodes elements that follow each other.
     *
     * @param segment where the blocks are
     * @param offset byte of the first block; any alignment
     * @param elements a multiple of the block's elements
     * @param out where the floats go
     * @param at first index in {@code out}
     */
    void decodeRow(MemorySegment segment, long offset, long elements, float[] out, int at);

    /** True for the formats that {@link #encodeRow} knows: q4_0 and q8_0. */
    default boolean canEncode() {
        return false;
    }

    /**
     * Encodes elements that follow each other. Blocks of zeros, of either sign, give scale 0 and decode to zeros. Where
     * the scale would be below what f16 holds, the block becomes zeros. An element that is infinite or NaN makes the
     * whole block NaN, and so does one so large that f16 can't hold the scale: a block has one scale, and a wrong
     * finite number would go unseen.
     *
     * @param in the floats
     * @param at first index in {@code in}
     * @param elements a multiple of the block's elements
     * @param segment where the blocks go
     * @param offset byte of the first block
     */
    default void encodeRow(float[] in, int at, long elements, MemorySegment segment, long offset) {
        throw VtException.unsupported("block format " + dtype() + ": can only be read; encode to q8_0 or q4_0");
    }

    /** The format of a block type; a plain type has none. */
    static Optional<BlockFormat> find(DType dtype) {
        return Optional.ofNullable(BlockFormats.get(dtype));
    }

    /** The format of a block type, or an error that names the type. */
    static BlockFormat of(DType dtype) {
        BlockFormat format = BlockFormats.get(dtype);
        if (format == null) {
            throw VtException.invalidArgument("block format: expected a block type, given " + dtype);
        }
        return format;
    }
}
