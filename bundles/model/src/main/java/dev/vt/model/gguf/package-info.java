/** Reading and making GGUF files. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.model.gguf;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
