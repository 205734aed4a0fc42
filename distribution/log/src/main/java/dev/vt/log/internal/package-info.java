/** The forwarder of OSGi log entries. */
@NullMarked
package dev.vt.log.internal;

import org.jspecify.annotations.NullMarked;
