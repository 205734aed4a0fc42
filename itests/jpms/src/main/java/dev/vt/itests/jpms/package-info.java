/** The program that the tests of the plain module path and class path run. */
package dev.vt.itests.jpms;
