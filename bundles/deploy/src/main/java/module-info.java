/** Hot deployment from a folder. */
module dev.vt.deploy {
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;
    requires static org.osgi.service.component.annotations;
    requires static osgi.core;

    exports dev.vt.deploy;
}
