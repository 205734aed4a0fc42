/** Decoders of language models and what generates text with them. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.model;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
