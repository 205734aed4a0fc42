/** How a call is laid out in memory and looked at afterwards. */
@NullMarked
package dev.vt.conformance.internal;

import org.jspecify.annotations.NullMarked;
