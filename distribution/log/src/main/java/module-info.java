/** Brings the entries of the OSGi log into the process's one log. */
module dev.vt.log {
    requires static org.jspecify;
    requires static org.osgi.service.component.annotations;
    requires static osgi.core;
}
