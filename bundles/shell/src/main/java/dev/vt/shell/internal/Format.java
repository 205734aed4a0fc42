package dev.vt.shell.internal;

/** How results are printed. */
enum Format {
    /** Aligned columns, for people. */
    TABLE,
    /** One JSON array or object. */
    JSON,
    /** Values separated by tabs, without a header, for scripts. */
    PLAIN;

    /** The switches that every command takes. */
    static final String JSON_SWITCH = "--json";

    static final String PLAIN_SWITCH = "--no-format";

    /**
     * What the shell gets: the object itself, which a converter shows as a table, or the finished text.
     */
    Object apply(Object result) {
        return switch (this) {
            case TABLE -> result;
            case JSON -> Json.write(result instanceof View view ? view.json() : result);
            case PLAIN -> result instanceof View view ? Page.of(view).plain() : String.valueOf(result);
        };
    }
}
