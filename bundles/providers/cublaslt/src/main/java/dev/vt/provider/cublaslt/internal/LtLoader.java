package dev.vt.provider.cublaslt.internal;

import dev.vt.api.VtException;
import dev.vt.backend.cuda.CudaLibrary;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Loads cuBLASLt when it is first asked for, once, and unloads it. Says in one line what it found, or what it missed. Any thread
 * may call it.
 */
final class LtLoader implements AutoCloseable {
    /** System property with the path of the library; with it no other place is looked at. */
    private static final String PROPERTY = "vt.cublaslt.library";

    private static final List<String> NAMES = List.of("libcublasLt.so.13", "libcublasLt.so.12");
    private static final long OLDEST = 12;
    private static final long NEWEST = 13;

    private static final System.Logger LOG = System.getLogger("dev.vt.provider.cublaslt");

    private @Nullable Lt library;
    private String missing = "";
    private boolean looked;
    private boolean closed;

    /** The library, or null where there is none that can be used. */
    synchronized @Nullable Lt library() {
        if (!looked && !closed) {
            looked = true;
            library = load();
        }
        return library;
    }

    /** What is needed, and what was found instead. */
    synchronized String requirement() {
        return "the library of cuBLASLt, version 12 or 13 (" + PROPERTY + " names it)" + missing;
    }

    private @Nullable Lt load() {
        Optional<CudaLibrary> found = CudaLibrary.find(PROPERTY, NAMES);
        if (found.isEmpty()) {
            LOG.log(Level.INFO, "no cuBLASLt was found ({0} names it)", PROPERTY);
            return null;
        }
        CudaLibrary file = found.get();
        try {
            Lt bound = new Lt(file);
            long major = bound.version() / 10_000;
            if (major >= OLDEST && major <= NEWEST) {
                LOG.log(Level.DEBUG, "cuBLASLt {0} of {1}", bound.versionText(), file.path());
                return bound;
            }
            return refuse(file, file.path() + " is version " + bound.versionText());
        } catch (VtException e) {
            return refuse(file, e.getMessage());
        }
    }

    private @Nullable Lt refuse(CudaLibrary file, @Nullable String why) {
        LOG.log(Level.WARNING, "cuBLASLt can''t be used: expected version 12 or 13, but {0}", why);
        missing = "; " + why;
        file.close();
        return null;
    }

    /** Unloads the library; nothing of it may be running. */
    @Override
    public synchronized void close() {
        closed = true;
        Lt loaded = library;
        library = null;
        if (loaded != null) {
            loaded.close();
        }
    }
}
