/** The watcher of the deploy folder. */
@NullMarked
package dev.vt.deploy.internal;

import org.jspecify.annotations.NullMarked;
