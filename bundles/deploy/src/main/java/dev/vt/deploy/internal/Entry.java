package dev.vt.deploy.internal;

import dev.vt.deploy.Deployments.Deployment;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.wiring.BundleRevision;

/**
 * What the deployer knows about one file. Immutable, so that any thread may turn it into a row while the deployer goes on.
 *
 * @param file name in the deploy folder
 * @param stamp the content that was tried last
 * @param bundle the bundle that came of it or of an earlier content, null when there is none
 * @param sha256 digest of the content that the bundle has, empty when unknown
 * @param label symbolic name and version as two items, for files that gave no bundle
 * @param state what to say when there is no bundle to ask
 * @param reason why it is not as wished, else empty
 * @param tries how often an incomplete content was read
 * @param next the pass in which it is worth reading again
 */
record Entry(
        String file,
        @Nullable Stamp stamp,
        @Nullable Bundle bundle,
        String sha256,
        Label label,
        State state,
        String reason,
        int tries,
        long next) {

    /** What a file that is not, or not only, a running bundle is called. */
    enum State {
        WAITING,
        INSTALLED,
        REFUSED,
        REMOVED
    }

    record Label(String symbolicName, String version) {
        static final Label UNKNOWN = new Label("", "");
    }

    static Entry found(String file) {
        return new Entry(file, null, null, "", Label.UNKNOWN, State.WAITING, "", 0, 0);
    }

    static Entry adopted(String file, Bundle bundle) {
        return new Entry(file, null, bundle, "", label(bundle), State.INSTALLED, "", 0, 0);
    }

    Entry waiting(Stamp seen, String why, int tried, long nextPass) {
        return new Entry(file, seen, bundle, sha256, label, State.WAITING, why, tried, nextPass);
    }

    Entry refused(@Nullable Stamp seen, Label what, String why) {
        return new Entry(file, seen, bundle, sha256, what, State.REFUSED, why, 0, 0);
    }

    Entry installed(Stamp seen, Bundle now, String digest) {
        return new Entry(file, seen, now, digest, label(now), State.INSTALLED, "", 0, 0);
    }

    Entry unchanged(Stamp seen) {
        return new Entry(file, seen, bundle, sha256, label, State.INSTALLED, "", 0, 0);
    }

    Entry because(String why) {
        return new Entry(file, stamp, bundle, sha256, label, state, why, tries, next);
    }

    Entry withoutBundle(State left, String why) {
        return new Entry(file, stamp, null, "", label, left, why, 0, 0);
    }

    /** After others left: a bundle that was turned away may find its place free. */
    Entry again() {
        return state == State.REFUSED && !label.equals(Label.UNKNOWN)
                ? new Entry(file, null, bundle, sha256, label, state, reason, 0, 0)
                : this;
    }

    /** True for a bundle that should run and does not. */
    boolean wantsStart() {
        return bundle != null
                && state == State.INSTALLED
                && bundle.getState() != Bundle.UNINSTALLED
                && !running(bundle);
    }

    Deployment row() {
        boolean active = state == State.INSTALLED && bundle != null && running(bundle);
        String word = active ? "active" : state.name().toLowerCase(Locale.ROOT);
        return new Deployment(file, word, label.symbolicName(), label.version(), active ? "" : reason);
    }

    private static Label label(Bundle bundle) {
        return new Label(bundle.getSymbolicName(), bundle.getVersion().toString());
    }

    /** A fragment never starts: it runs as a part of its host once it is resolved. */
    private static boolean running(Bundle bundle) {
        BundleRevision revision = bundle.adapt(BundleRevision.class);
        boolean fragment = revision != null && (revision.getTypes() & BundleRevision.TYPE_FRAGMENT) != 0;
        return bundle.getState() == Bundle.ACTIVE || (fragment && bundle.getState() == Bundle.RESOLVED);
    }
}
