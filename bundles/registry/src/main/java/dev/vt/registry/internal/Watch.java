package dev.vt.registry.internal;

import dev.vt.api.ErrorCode;
import dev.vt.api.VtException;
import dev.vt.api.device.Device;
import dev.vt.api.device.ProviderCaps;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What can be switched on to see single calls: a line for each new winner on standard error, and a trace file with a JSON line for
 * each execution and decline. Both are off by default; routes are then not watched and calls never come here.
 */
final class Watch implements AutoCloseable {
    private final boolean announce;
    private final @Nullable Writer trace;
    private final Map<String, String> announced = new ConcurrentHashMap<>();
    private final PrintStream err;
    private long sequence;

    Watch(Settings settings) {
        this(settings, System.err);
    }

    Watch(Settings settings, PrintStream err) {
        this.announce = settings.stats();
        this.err = err;
        this.trace = settings.trace() == null ? null : open(settings.trace());
    }

    private static Writer open(String file) {
        try {
            return Files.newBufferedWriter(
                    Path.of(file), StandardCharsets.UTF_8, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new VtException(
                    ErrorCode.CONFIGURATION, Settings.TRACE + ": can't write to '" + file + "': " + e.getMessage(), e);
        }
    }

    boolean active() {
        return announce || trace != null;
    }

    boolean tracing() {
        return trace != null;
    }

    /** Says who is asked first for an op on a device, if that is new. */
    void selected(Route route, ProviderCaps caps) {
        String winner = route.selected();
        if (!announce || winner == null || winner.equals(announced.put(route.op.name() + "@" + route.device, winner))) {
            return;
        }
        err.println("[vt op-provider] op=" + route.op.name() + " device=" + route.device + " selected=" + winner
                + " priority=" + route.eligible[0].priority + " registered=" + route.chain.size() + " caps="
                + caps.brief());
    }

    /** Appends one line; each is flushed, so that a crash keeps what came before it. */
    synchronized void trace(String op, Device device, String provider, @Nullable String declined, String tensors) {
        if (trace == null) {
            return;
        }
        try {
            trace.write("{\"seq\":" + sequence++ + ",\"op\":\"" + op + "\",\"device\":\"" + device
                    + "\",\"provider\":\""
                    + provider + "\",\"outcome\":\"" + (declined == null ? "served" : "declined") + "\""
                    + (declined == null ? "" : ",\"reason\":\"" + escape(declined) + "\"") + "," + tensors + "}\n");
            trace.flush();
        } catch (IOException e) {
            throw new UncheckedIOException("the trace file can't be written", e);
        }
    }

    static String escape(String text) {
        StringBuilder out = new StringBuilder();
        for (char c : text.toCharArray()) {
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        return out.toString();
    }

    @Override
    public synchronized void close() {
        if (trace != null) {
            try {
                trace.close();
            } catch (IOException e) {
                throw new UncheckedIOException("the trace file can't be closed", e);
            }
        }
    }
}
