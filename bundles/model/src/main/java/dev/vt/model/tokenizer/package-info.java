/** Tokenizers that GGUF files name. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.model.tokenizer;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
