package dev.vt.deploy;

import java.util.List;
import org.osgi.annotation.versioning.ProviderType;

/** What became of the files in the deploy folder. Any thread may ask. */
@ProviderType
public interface Deployments {
    /** Every file seen and every refusal kept, sorted by file name. */
    List<Deployment> list();

    /**
     * One file of the deploy folder.
     *
     * @param file file name
     * @param state waiting, active, installed, refused or removed
     * @param bundle symbolic name, empty before it is known
     * @param version bundle version, empty before it is known
     * @param reason why it is not active, else empty
     */
    record Deployment(String file, String state, String bundle, String version, String reason) {}
}
