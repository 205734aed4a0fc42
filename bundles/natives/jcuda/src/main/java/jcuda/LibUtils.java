package jcuda;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Takes the place of JCuda's class of this name, which writes libraries to fixed names in the folder for temporary files and
 * loads whatever lies there already. This one asks the class loader first (an OSGi framework has unpacked the library by
 * then), else it unpacks the library of its own jar into a fresh folder that only this user can read, and removes it once it
 * is loaded. JCuda's classes alone call it.
 */
public final class LibUtils {
    /** JCuda's name of the operating system; what there is no library for is refused by {@link #loadLibrary}. */
    public enum OSType {
        APPLE,
        LINUX,
        UNKNOWN,
        WINDOWS
    }

    private LibUtils() {}

    /** The operating system of this process. */
    public static OSType calculateOS() {
        String name = System.getProperty("os.name", "");
        if (name.startsWith("Mac")) {
            return OSType.APPLE;
        }
        if (name.startsWith("Windows")) {
            return OSType.WINDOWS;
        }
        return name.startsWith("Linux") ? OSType.LINUX : OSType.UNKNOWN;
    }

    /** The name of a library for the one platform that this jar has it for. */
    public static String createPlatformLibraryName(String name) {
        return name + "-linux-x86_64";
    }

    /**
     * Loads one of JCuda's libraries for the class loader of this class.
     *
     * @param name name, version and platform, such as {@code JCudaDriver-12.6.0-linux-x86_64}
     * @param dependent not used: the library that is here needs the driver alone
     * @throws UnsatisfiedLinkError when there is no such library for this machine, or the CUDA driver is absent
     */
    public static void loadLibrary(String name, String... dependent) {
        try {
            System.loadLibrary(name);
        } catch (UnsatisfiedLinkError e) {
            loadResource(System.mapLibraryName(name), e);
        }
    }

    private static void loadResource(String file, UnsatisfiedLinkError first) {
        try (InputStream in = LibUtils.class.getResourceAsStream("/lib/" + file)) {
            if (in == null || calculateOS() != OSType.LINUX) {
                throw first;
            }
            Path folder = Files.createTempDirectory("vt-jcuda");
            Path copy = folder.resolve(file);
            try {
                Files.copy(in, copy);
                System.load(copy.toString());
            } finally {
                Files.deleteIfExists(copy);
                Files.delete(folder);
            }
        } catch (IOException e) {
            UnsatisfiedLinkError error = new UnsatisfiedLinkError("library " + file + " could not be unpacked: " + e);
            error.addSuppressed(first);
            throw error;
        }
    }
}
