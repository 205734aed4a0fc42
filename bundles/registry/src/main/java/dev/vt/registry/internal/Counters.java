package dev.vt.registry.internal;

import dev.vt.api.device.Device;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Gives out counter cells and reads them. A cell belongs to (op, device, provider, what), so it outlives tables and providers.
 * Resetting keeps the running sums and remembers where zero is. Locks only for look-ups off the hot path.
 */
final class Counters {
    /** The kind of the cell that counts served calls. */
    private static final String SERVED = "";

    private record Key(int op, Device device, String provider, String reason) {}

    private final PinTable pins;
    private final Map<Key, Integer> cells = new HashMap<>();
    private final Map<Integer, Long> zero = new HashMap<>();

    Counters(PinTable pins) {
        this.pins = pins;
    }

    /** The cell for calls that a provider served. */
    int served(int op, Device device, String provider) {
        return cell(new Key(op, device, provider, SERVED));
    }

    /** The cell for declines of a provider with a reason. */
    int declined(int op, Device device, String provider, String reason) {
        return cell(new Key(op, device, provider, "d:" + reason));
    }

    /** The cell for calls that found nothing eligible. */
    int fallbacks(int op, Device device) {
        return cell(new Key(op, device, "", "fallback"));
    }

    private synchronized int cell(Key key) {
        return cells.computeIfAbsent(key, k -> cells.size());
    }

    /** A counter since its last reset. */
    synchronized long value(int cell) {
        return pins.sum(cell) - zero.getOrDefault(cell, 0L);
    }

    long servedBy(int op, Device device, String provider) {
        return value(served(op, device, provider));
    }

    /** Declines of a provider by reason, those above zero. */
    synchronized Map<String, Long> declines(int op, Device device, String provider) {
        Map<String, Long> out = new TreeMap<>();
        cells.forEach((key, cell) -> {
            if (key.op == op
                    && key.device.equals(device)
                    && key.provider.equals(provider)
                    && key.reason.startsWith("d:")) {
                long n = value(cell);
                if (n > 0) {
                    out.put(key.reason.substring(2), n);
                }
            }
        });
        return out;
    }

    /** Calls served, whoever served them. */
    synchronized long servedTotal(int op, Device device) {
        return total(op, device, true);
    }

    /** Declines, whoever declined. */
    synchronized long declinedTotal(int op, Device device) {
        return total(op, device, false);
    }

    private long total(int op, Device device, boolean served) {
        long sum = 0;
        for (Map.Entry<Key, Integer> e : cells.entrySet()) {
            Key key = e.getKey();
            boolean wanted =
                    served ? key.reason.equals(SERVED) && !key.provider.isEmpty() : key.reason.startsWith("d:");
            if (wanted && key.op == op && key.device.equals(device)) {
                sum += value(e.getValue());
            }
        }
        return sum;
    }

    /** Calls served on a device by each provider that ever was there, resets left out. */
    synchronized Map<String, Long> servedByProvider(Device device) {
        Map<String, Long> out = new TreeMap<>();
        cells.forEach((key, cell) -> {
            if (key.device.equals(device) && key.reason.equals(SERVED)) {
                out.merge(key.provider, pins.sum(cell), Long::sum);
            }
        });
        return out;
    }

    /** Declines on a device, resets left out. */
    synchronized long declinedOn(Device device) {
        long sum = 0;
        for (Map.Entry<Key, Integer> e : cells.entrySet()) {
            if (e.getKey().device.equals(device) && e.getKey().reason.startsWith("d:")) {
                sum += pins.sum(e.getValue());
            }
        }
        return sum;
    }

    /** Makes all counters of one op on one device start from zero. */
    synchronized void reset(int op, Device device) {
        cells.forEach((key, cell) -> {
            if (key.op == op && key.device.equals(device)) {
                zero.put(cell, pins.sum(cell));
            }
        });
    }
}
