/** Makes the OSGi form of the features from their Karaf form, while the project is built. */
@NullMarked
package dev.vt.features;

import org.jspecify.annotations.NullMarked;
