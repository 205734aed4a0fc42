package dev.vt.api.device;

/**
 * What a backend holds at one moment.
 *
 * @param bytes bytes of open blocks
 * @param blocks number of open blocks
 * @param pinnedBytes bytes of page-locked host memory among them
 * @param pinnedFallbacks requests for page-locked memory since start that got ordinary memory instead
 * @param queues number of open queues
 */
public record MemoryUse(long bytes, long blocks, long pinnedBytes, long pinnedFallbacks, long queues) {}
