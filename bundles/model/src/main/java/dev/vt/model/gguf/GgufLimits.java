package dev.vt.model.gguf;

/** Bounds that a GGUF file's counts are held against before anything is allocated. */
final class GgufLimits {
    private GgufLimits() {}
}
