package dev.vt.testkit;

/** Makes provider bundles on the fly. */
public final class ProviderBundle {
    private ProviderBundle() {}
}
