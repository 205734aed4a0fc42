package dev.vt.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.model.gguf.GgufFile;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KvCacheTest {
    @TempDir
    private Path directory;

    @Test
    @DisplayName("each token has a slot of its own, whatever the order in which sequences grow")
    void slots() {
        with(12, cache -> {
            KvSequence a = new KvSequence(cache, 96);
            KvSequence b = new KvSequence(cache, 96);
            for (int i = 0; i < 40; i++) {
                a.append(1);
                b.append(i % 3);
            }
            Set<Long> slots = new HashSet<>();
            for (int i = 0; i < a.length(); i++) {
                slots.add(a.slot(i));
            }
            for (int i = 0; i < b.length(); i++) {
                slots.add(b.slot(i));
            }
            assertEquals(a.length() + b.length(), slots.size());
            assertEquals(12 - 3 - 3, cache.freeBlocks());
        });
    }

    @Test
    @DisplayName("a closed sequence gives its blocks back, once")
    void giveBack() {
        with(4, cache -> {
            KvSequence a = new KvSequence(cache, 64);
            a.append(33);
            assertEquals(1, cache.freeBlocks());
            a.close();
            a.close();
            assertEquals(4, cache.freeBlocks());
        });
    }

    @Test
    @DisplayName("a full cache says how many blocks are missing and takes none")
    void full() {
        with(3, cache -> {
            KvSequence a = new KvSequence(cache, 64);
            a.append(32);
            VtException e = assertThrows(VtException.class, () -> new KvSequence(cache, 64).append(17));
            assertEquals(ErrorCode.OUT_OF_MEMORY, e.code());
            assertEquals("generate: the cache has 1 free blocks of 16 tokens, 2 are needed", e.getMessage());
            assertEquals(1, cache.freeBlocks());
        });
    }

    private void with(int blocks, Consumer<KvCache> test) {
        Path model = TinyModel.of("llama").build().write(directory);
        try (TestRuntime runtime = new TestRuntime();
                GgufFile file = GgufFile.open(model);
                KvCache cache = new KvCache(runtime.backend(), ModelConfig.read(file), DType.F32, blocks)) {
            test.accept(cache);
        }
    }
}
