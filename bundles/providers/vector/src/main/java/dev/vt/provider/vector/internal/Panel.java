package dev.vt.provider.vector.internal;

/** Where the rows of the right side come from: its rows, or, for a product that is not transposed, its columns. */
interface Panel {
    /** Number of rows. */
    long rows();

    /**
     * Reads rows {@code n} to {@code n + count} as floats, the first at index 0, the next {@code stride} further. What
     * lies between the end of a row and the next one is left alone.
     */
    void read(long n, int count, float[] to, int stride);

    /** The products of rows {@code n} to {@code n + 4} with a row of floats: see {@link RowReader#dots}. */
    default boolean dots(float[] a, int ao, long n, float[] sums) {
        return false;
    }
}
