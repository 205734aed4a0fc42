/** Tests that run the built distribution as processes of its own. */
@NullMarked
package dev.vt.itests.dist;

import org.jspecify.annotations.NullMarked;
