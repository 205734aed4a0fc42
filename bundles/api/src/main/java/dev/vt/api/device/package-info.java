/** Devices and what a backend gives for each: memory, queues, events, graphs. Backends implement these types. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.api.device;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
