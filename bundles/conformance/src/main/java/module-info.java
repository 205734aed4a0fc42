/** The conformance kit: calls of every op, what they must give, and the checks. */
module dev.vt.conformance {
    requires transitive dev.vt.api;
    requires transitive dev.vt.ops;
    requires static org.jspecify;
    requires static org.osgi.annotation.bundle;
    requires static org.osgi.annotation.versioning;
    requires static org.osgi.service.component.annotations;

    exports dev.vt.conformance;
    exports dev.vt.conformance.spec;

    provides dev.vt.api.spi.AdmissionTest with
            dev.vt.conformance.admission.KitAdmission;
}
