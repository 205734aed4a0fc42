package dev.vt.provider.cublaslt.internal;

/** How b lies. */
enum Product {
    /** b[K,N], or b[G,K,N]. */
    PLAIN,
    /** b[N,K]. */
    TRANSPOSED
}
