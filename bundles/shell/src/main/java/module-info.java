/** The commands of the vt: scope. */
module dev.vt.shell {
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;
    requires static org.osgi.service.component.annotations;
    requires static osgi.core;
    requires static org.apache.felix.gogo.runtime;
    requires static org.osgi.service.cm;
    requires static dev.vt.deploy;
    requires dev.vt.api;
    requires dev.vt.ops;
    requires dev.vt.model;
    requires dev.vt.conformance;
}
