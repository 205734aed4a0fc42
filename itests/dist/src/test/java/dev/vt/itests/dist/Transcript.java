package dev.vt.itests.dist;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Everything that a process has written to one stream. A thread of its own reads it until the stream's end. Any
 * thread.
 */
final class Transcript {
    private final StringBuilder text = new StringBuilder();
    private boolean ended;

    private Transcript() {}

    static Transcript of(InputStream stream, String name) {
        Transcript transcript = new Transcript();
        Thread.ofPlatform().daemon().name(name).start(() -> transcript.read(stream));
        return transcript;
    }

    private void read(InputStream stream) {
        char[] buffer = new char[4096];
        try (Reader reader = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
            for (int n = reader.read(buffer); n >= 0; n = reader.read(buffer)) {
                append(buffer, n);
            }
        } catch (IOException e) {
            char[] failure = ("\n[" + e + "]").toCharArray();
            append(failure, failure.length);
        } finally {
            end();
        }
    }

    private synchronized void append(char[] buffer, int n) {
        text.append(buffer, 0, n);
        notifyAll();
    }

    private synchronized void end() {
        ended = true;
        notifyAll();
    }

    synchronized int length() {
        return text.length();
    }

    synchronized String text() {
        return text.toString();
    }

    /** Waits until a text comes after a place; gives everything between, with that text. */
    synchronized String awaitFrom(int from, String wanted, Duration patience) {
        long end = System.nanoTime() + patience.toNanos();
        while (true) {
            int at = text.indexOf(wanted, from);
            if (at >= 0) {
                return text.substring(from, at + wanted.length());
            }
            long millis = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            if (ended || millis <= 0) {
                throw new AssertionError("expected '" + wanted.strip() + "', "
                        + (ended ? "but the process ended" : "not within " + patience)
                        + "; it wrote:\n" + text.substring(from));
            }
            try {
                wait(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting for '" + wanted.strip() + "'", e);
            }
        }
    }
}
