/** The selection core, free of OSGi, and the components that connect it. */
@NullMarked
package dev.vt.registry.internal;

import org.jspecify.annotations.NullMarked;
