package dev.vt.backend.cpu.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import org.junit.jupiter.api.function.Executable;

/** Looks at a refusal: its code, and the words that its sentence must have. */
final class Errors {
    private Errors() {}

    static VtException refused(ErrorCode code, Executable call, String... words) {
        VtException e = assertThrows(VtException.class, call);
        assertEquals(code, e.code(), e.getMessage());
        for (String word : words) {
            assertTrue(String.valueOf(e.getMessage()).contains(word), "'" + word + "' in: " + e.getMessage());
        }
        return e;
    }
}
