/** Doubles, generated provider bundles and checks for tests of providers. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.testkit;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
