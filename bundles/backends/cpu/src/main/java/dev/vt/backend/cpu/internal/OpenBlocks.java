package dev.vt.backend.cpu.internal;

import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The blocks of one backend whose bytes are still there, closed ones included as long as accepted work may use them. Finds the
 * block of an address, so that no kernel ever reads through a number that it was given. Any thread may call it.
 */
final class OpenBlocks {
    private final Device device;
    private final Set<CpuMemory> blocks = ConcurrentHashMap.newKeySet();

    OpenBlocks(Device device) {
        this.device = device;
    }

    void add(CpuMemory block) {
        blocks.add(block);
    }

    void remove(CpuMemory block) {
        blocks.remove(block);
    }

    void closeAll() {
        blocks.forEach(CpuMemory::close);
    }

    /** The bytes from an address on, or an error when they are not all inside one block. */
    MemorySegment at(long address, long bytes) {
        if (address > 0 && bytes >= 0) {
            for (CpuMemory block : blocks) {
                MemorySegment segment = block.bytes();
                long from = address - segment.address();
                if (from >= 0 && from <= segment.byteSize() && bytes <= segment.byteSize() - from) {
                    return segment.asSlice(from, bytes);
                }
            }
        }
        throw VtException.invalidArgument("backend cpu of " + device + ": expected " + bytes
                + " bytes inside one open block, given address 0x" + Long.toHexString(address));
    }
}
