package dev.vt.itests.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;

/** What a process left when it ended. */
record Ended(int code, String out, String err, Duration took) {
    /** Fails with all that the process said unless it ended with this code. */
    Ended expect(int expected) {
        assertEquals(expected, code, () -> "exit code; standard output:\n" + out + "standard error:\n" + err);
        return this;
    }

    /** Standard output, which must be one JSON text and nothing else. */
    JsonNode json() {
        return Json.parse(out);
    }

    /** The error stream without the line about the incubator module, which the JDK always prints. */
    List<String> complaints() {
        return err.lines()
                .filter(line -> !line.startsWith("WARNING: Using incubator modules"))
                .toList();
    }
}
