package dev.vt.shell.internal;

import dev.vt.api.VtException;
import dev.vt.api.tensor.DType;
import dev.vt.ops.NearNames;
import java.util.Arrays;
import java.util.List;

/** Element types by name. */
final class Dtypes {
    private Dtypes() {}

    /** The type of a name, in any case; an unknown one is an error that lists all. */
    static DType parse(String what, String name) {
        return Arrays.stream(DType.values())
                .filter(d -> d.label().equalsIgnoreCase(name))
                .findFirst()
                .orElseThrow(() -> unknown(what, name));
    }

    private static VtException unknown(String what, String name) {
        List<String> names = Arrays.stream(DType.values()).map(DType::label).toList();
        return VtException.notFound(what + ": no dtype is named '" + name + "'" + NearNames.hint(name, names)
                + "; all: " + String.join(", ", names));
    }
}
