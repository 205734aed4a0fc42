/** The kit as the service that the registry asks before it lets a provider in. */
@NullMarked
package dev.vt.conformance.admission;

import org.jspecify.annotations.NullMarked;
