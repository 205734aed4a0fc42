package dev.vt.registry.internal;

/**
 * The CPU's kernel of one op dressed as a kernel of another device.
 *
 * @param kernel an instance of the op's kernel interface
 */
record ReferenceKernel(Object kernel) {}
