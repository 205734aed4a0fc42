package dev.vt.shell.internal;

/** A result that knows how it is shown. The same description gives the table for people and the lines for scripts. */
interface View {
    /** Puts its lines and tables onto the page. */
    void show(Page page);

    /** What JSON is made from. */
    default Object json() {
        return this;
    }
}
