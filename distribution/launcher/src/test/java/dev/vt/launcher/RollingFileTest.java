package dev.vt.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RollingFileTest {
    private static final String RECORD = "0123456789\n";

    @TempDir
    Path folder;

    @Test
    @DisplayName("files stay below the limit and only so many are kept")
    void bounded() throws IOException {
        Path file = folder.resolve("vt.log");
        try (RollingFile log = new RollingFile(file, 100, 2)) {
            for (int i = 0; i < 100; i++) {
                log.append(RECORD);
            }
        }
        for (String name : List.of("vt.log", "vt.log.1", "vt.log.2")) {
            assertTrue(Files.size(folder.resolve(name)) <= 100, name);
        }
        assertFalse(Files.exists(folder.resolve("vt.log.3")));
    }

    @Test
    @DisplayName("two writers of one file lose no record when it rolls")
    void shared() throws IOException {
        Path file = folder.resolve("vt.log");
        try (RollingFile one = new RollingFile(file, 200, 9);
                RollingFile two = new RollingFile(file, 200, 9)) {
            for (int i = 0; i < 60; i++) {
                one.append("a" + RECORD);
                two.append("b" + RECORD);
            }
        }
        List<String> lines = new ArrayList<>();
        try (var files = Files.newDirectoryStream(folder, "vt.log*")) {
            for (Path each : files) {
                lines.addAll(Files.readAllLines(each));
            }
        }
        assertEquals(120, lines.size());
    }

    @Test
    @DisplayName("the console form is one line with the reason; the file form has the stack trace")
    void forms() {
        LogRecord record = new LogRecord(Level.WARNING, "x failed");
        record.setLoggerName("dev.vt.x");
        record.setThrown(new IllegalStateException("outer", new IOException("disk\nfull")));
        assertEquals("vt: warning: x failed: disk full" + System.lineSeparator(), new LineFormat(true).format(record));
        String full = new LineFormat(false).format(record);
        assertTrue(
                full.contains("warning dev.vt.x - x failed") && full.contains("Caused by: java.io.IOException"), full);
    }
}
