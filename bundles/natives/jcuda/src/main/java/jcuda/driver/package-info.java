/** JCuda's binding of the CUDA driver API; its classes are those of the JCuda project, version 12.6.0. */
@Export
@Version("12.6.0")
@NullUnmarked
package jcuda.driver;

import org.jspecify.annotations.NullUnmarked;
import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
