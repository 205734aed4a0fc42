package dev.vt.launcher;

/** Says a failure in one line. */
final class OneLine {
    private OneLine() {}

    /** The innermost cause, which names what is really wrong, without line breaks. */
    static String reason(Throwable failure) {
        Throwable inner = failure;
        while (inner.getCause() != null && inner.getCause() != inner) {
            inner = inner.getCause();
        }
        String text = inner.getMessage();
        return text == null || text.isBlank() ? inner.toString() : flat(text);
    }

    static String flat(String text) {
        return text.strip().replaceAll("\\s*\\R\\s*", " ");
    }
}
