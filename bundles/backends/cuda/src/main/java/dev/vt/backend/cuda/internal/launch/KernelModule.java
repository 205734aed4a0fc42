package dev.vt.backend.cuda.internal.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/**
 * A file of kernels in CUDA C, as a resource beside the class that names it. It is compiled for a device when one of its kernels
 * is first launched there. Immutable.
 *
 * @param anchor a class of the package that holds the resource
 * @param file name of the resource
 */
public record KernelModule(Class<?> anchor, String file) {
    /** What every module starts with: element types, and how a kernel fails its queue. */
    private static final String COMMON = "common.cuh";

    /** A kernel of this module. */
    public KernelFunction function(String name) {
        return new KernelFunction(this, name);
    }

    /** The whole source; no other file is included. */
    public String source() {
        return read(COMMON) + "\n#line 1 \"" + file + "\"\n" + read(file);
    }

    private String read(String name) {
        try (InputStream in = anchor.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("the bundle holds no " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
