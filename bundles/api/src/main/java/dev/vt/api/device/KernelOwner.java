package dev.vt.api.device;

/**
 * The provider behind kernels that a graph has recorded. A graph enters each of its owners for the time of a launch, so that
 * no launch can run into a provider that has left.
 */
public interface KernelOwner {
    /** The provider's name. */
    String name();

    /** Enters the owner; false once it has left, and then {@link #exit()} must not be called. */
    boolean enter();

    void exit();
}
