package dev.vt.deploy.internal;

import java.nio.file.Path;
import org.osgi.framework.Version;

/**
 * A private copy of a file of the deploy folder that was read once, is a whole jar and says it is a bundle. What is checked
 * from here on is what gets installed.
 *
 * @param file name in the deploy folder
 * @param copy the private copy; the deployer deletes it when it is done
 * @param sha256 digest of the copy's bytes, in hexadecimal
 * @param symbolicName the bundle's symbolic name
 * @param version the bundle's version
 * @param natives true when the bundle says that it can't be replaced while the process runs
 */
record Staged(String file, Path copy, String sha256, String symbolicName, Version version, boolean natives) {
    /** Symbolic name and version as messages say them. */
    String label() {
        return symbolicName + " " + version;
    }
}
