package dev.vt.itests.quality;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("versions of packages")
class VersionRuleTest {
    private static final String TYPE = "Tool = public interface abstract java/lang/Object";
    private static final String PLUG = "Plug = @ConsumerType public interface abstract java/lang/Object";
    private static final String RUN = "Tool.run() : public abstract void";
    private static final String STOP = "Tool.stop() : public abstract void";
    private static final String PLUGGED = "Plug.run() : public abstract void";

    @Test
    @DisplayName("what wasn't changed needs nothing, and neither does a new package")
    void unchanged() {
        assertTrue(faults(of("1.0.0", TYPE, RUN), of("1.0.0", TYPE, RUN)).isEmpty());
        assertTrue(faults(new TreeMap<>(), of("1.0.0", TYPE)).isEmpty());
    }

    @Test
    @DisplayName("an addition needs a new minor version")
    void added() {
        List<String> faults = faults(of("1.0.0", TYPE, RUN), of("1.0.0", TYPE, RUN, STOP));
        assertEquals(1, faults.size());
        assertTrue(
                faults.getFirst().contains("minor version") && faults.getFirst().contains("  + " + STOP),
                faults.getFirst());
        assertEquals(1, faults(of("1.0.0", TYPE), of("1.0.1", TYPE, RUN)).size());
        assertTrue(faults(of("1.0.0", TYPE, RUN), of("1.1.0", TYPE, RUN, STOP)).isEmpty());
    }

    @Test
    @DisplayName("a removal or a change needs a new major version")
    void removed() {
        List<String> faults = faults(of("1.0.0", TYPE, RUN), of("1.1.0", TYPE));
        assertEquals(1, faults.size());
        assertTrue(
                faults.getFirst().contains("major version") && faults.getFirst().contains("  - " + RUN),
                faults.getFirst());
        assertTrue(faults(of("1.0.0", TYPE, RUN), of("2.0.0", TYPE)).isEmpty());
        assertEquals(1, faults(of("2.0.0", TYPE, RUN), of("1.9.0", TYPE)).size());
    }

    @Test
    @DisplayName("at 0.x a new minor version is enough for a removal")
    void beforeOne() {
        assertEquals(1, faults(of("0.1.0", TYPE, RUN), of("0.1.0", TYPE)).size());
        assertTrue(faults(of("0.1.0", TYPE, RUN), of("0.2.0", TYPE)).isEmpty());
    }

    @Test
    @DisplayName("a new abstract method needs a new major version in a type that others implement")
    void implementers() {
        assertEquals(1, faults(of("1.0.0", PLUG), of("1.1.0", PLUG, PLUGGED)).size());
        assertTrue(faults(of("1.0.0", PLUG), of("2.0.0", PLUG, PLUGGED)).isEmpty());
        assertTrue(faults(of("1.0.0", TYPE), of("1.1.0", TYPE, PLUG, PLUGGED)).isEmpty());
    }

    private static List<String> faults(SortedMap<String, Signatures> released, SortedMap<String, Signatures> now) {
        return VersionRule.faults(released, now);
    }

    private static SortedMap<String, Signatures> of(String version, String... lines) {
        SortedMap<String, Signatures> all = new TreeMap<>();
        all.put("p", new Signatures("p", version, new TreeSet<>(List.of(lines))));
        return all;
    }
}
