/** Handles of JCuda whose native addresses can be read and set, which joins JCuda with other native calls. */
@Export
@Version("1.0.0")
@NullMarked
package dev.vt.natives.jcuda;

import org.jspecify.annotations.NullMarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
