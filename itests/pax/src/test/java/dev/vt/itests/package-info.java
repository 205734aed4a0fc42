/** Tests of the bundles inside a real framework. */
@NullMarked
package dev.vt.itests;

import org.jspecify.annotations.NullMarked;
