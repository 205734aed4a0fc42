/** What all of JCuda's bindings share; its classes are those of the JCuda project, version 12.6.0. */
@Export
@Version("12.6.0")
@NullUnmarked
package jcuda;

import org.jspecify.annotations.NullUnmarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
