package dev.vt.pax.jupiter.examples;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;

/** What examples inherit. */
abstract class BaseExample {
    final List<String> ran = new ArrayList<>();

    @BeforeEach
    void beforeOfBase() {
        ran.add("base");
    }
}
