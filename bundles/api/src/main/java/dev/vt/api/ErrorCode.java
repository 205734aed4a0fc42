package dev.vt.api;

/** The closed set of reasons for which a call of this runtime fails. */
public enum ErrorCode {
    /** An argument breaks the contract of what was called; nothing was written. */
    INVALID_ARGUMENT,
    /** No kernel can serve the call. */
    NO_KERNEL,
    /** A kernel declined where policy forbids to go on to the next one. */
    DECLINED,
    /** A kernel threw, or work queued by it failed later. */
    KERNEL_FAILED,
    /** A graph holds kernels or memory that have gone. */
    STALE_GRAPH,
    /** The handle was closed before. */
    CLOSED,
    /** Memory of the device or the host is exhausted, or a size is absurd. */
    OUT_OF_MEMORY,
    /** The device, backend or build lacks what was asked for. */
    UNSUPPORTED,
    /** The device stopped answering; its backend has to be opened again. */
    DEVICE_LOST,
    /** A name matches nothing that is known. */
    NOT_FOUND,
    /** A configuration value can't be honoured. */
    CONFIGURATION,
    /** A file breaks its format. */
    FORMAT,
    /** A bounded wait ran out. */
    TIMEOUT
}
