package dev.vt.backend.cuda.internal.launch;

import dev.vt.api.VtException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * PTX of the kernels: files in a folder that a property names, or beside the sources in the bundle when it was built with
 * them. The driver translates it when a file is loaded, each time anew, so NVRTC comes first where there is one. Immutable.
 */
final class PrebuiltKernels {
    /** System property with a folder of PTX files. */
    static final String PROPERTY = "vt.cuda.ptx";

    /** What a folder of all kernels has for certain: without it no queue works. */
    private static final String SAMPLE = "fault.ptx";

    private static final String RESOURCES = "/dev/vt/backend/cuda/internal/kernel/support/";

    private final @Nullable Path folder;

    private PrebuiltKernels(@Nullable Path folder) {
        this.folder = folder;
    }

    static PrebuiltKernels find() {
        String named = System.getProperty(PROPERTY);
        return new PrebuiltKernels(named == null ? null : Path.of(named));
    }

    /** Whether there are any. */
    boolean present() {
        return folder != null ? Files.isRegularFile(folder.resolve(SAMPLE)) : resource(SAMPLE) != null;
    }

    /** The text of a file of kernels, with the zero byte at its end that the driver wants. */
    byte[] get(KernelModule module) {
        String name = module.file().replace(".cu", ".ptx");
        try {
            byte[] text = read(name);
            return Arrays.copyOf(text, text.length + 1);
        } catch (IOException e) {
            throw VtException.unsupported("kernels of " + module.file() + ": " + name + " can't be read"
                    + (folder == null ? "" : " in " + folder) + " (" + e.getMessage() + "), and NVRTC was not found");
        }
    }

    private byte[] read(String name) throws IOException {
        if (folder != null) {
            return Files.readAllBytes(folder.resolve(name));
        }
        URL url = resource(name);
        if (url == null) {
            throw new IOException("this build has none");
        }
        try (InputStream in = url.openStream()) {
            return in.readAllBytes();
        }
    }

    private static @Nullable URL resource(String name) {
        return PrebuiltKernels.class.getResource(RESOURCES + name);
    }
}
