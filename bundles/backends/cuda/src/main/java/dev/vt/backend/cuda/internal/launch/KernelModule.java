package dev.vt.backend.cuda.internal.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

    private static final Pattern INCLUDE = Pattern.compile("#include \"([a-z0-9_]+\\.cuh)\"");

    /** A kernel of this module. */
    public KernelFunction function(String name) {
        return function(name, 0);
    }

    /** A kernel of this module whose launches ask for up to so many bytes of shared memory. */
    public KernelFunction function(String name, int shared) {
        return function(name, shared, 1);
    }

    /** The same, whose blocks form clusters of so many along the first dimension of the grid. */
    public KernelFunction function(String name, int shared, int cluster) {
        return new KernelFunction(this, name, shared, cluster);
    }

    /** Whether it is for devices of compute capability 9.0 alone: their matrix units and copy engine. */
    boolean specific() {
        return file.endsWith("_sm90.cu");
    }

    /** The whole source: lines that include another file of this package are replaced by it, the first time. */
    public String source() {
        StringBuilder text = new StringBuilder();
        Set<String> included = new HashSet<>();
        append(text, COMMON, included);
        append(text, file, included);
        return text.toString();
    }

    private void append(StringBuilder text, String name, Set<String> included) {
        if (!included.add(name)) {
            return;
        }
        text.append("#line 1 \"").append(name).append("\"\n");
        int number = 1;
        for (String line : read(name).lines().toList()) {
            Matcher include = INCLUDE.matcher(line);
            number++;
            if (include.matches()) {
                append(text, include.group(1), included);
                text.append("#line ").append(number).append(" \"").append(name).append("\"\n");
            } else {
                text.append(line).append('\n');
            }
        }
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
