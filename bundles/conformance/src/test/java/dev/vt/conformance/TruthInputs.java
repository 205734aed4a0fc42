package dev.vt.conformance;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.vt.conformance.spec.CasePlan;
import dev.vt.conformance.spec.OpSpec;
import dev.vt.conformance.spec.Operand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/** Writes the operands of the chosen cases, for {@code make_truth.py} to compute what must come out. A program. */
final class TruthInputs {
    private static final ObjectMapper JSON = new ObjectMapper();

    private TruthInputs() {}

    /** The argument is the file to write. */
    public static void main(String[] args) throws IOException {
        ObjectNode all = JSON.createObjectNode();
        for (OpSpec spec : Conformance.specs()) {
            ArrayNode cases = all.putArray(spec.op().name());
            TruthCases.of(spec).forEach(plan -> cases.add(described(spec, plan)));
        }
        Files.writeString(Path.of(args[0]), JSON.writeValueAsString(all));
    }

    /** What a case is about, and its operands; those that are only written have no bytes. */
    static ObjectNode described(OpSpec spec, CasePlan plan) {
        ObjectNode node = JSON.createObjectNode();
        node.set("dims", JSON.valueToTree(plan.dims()));
        node.put("dtype", plan.dtype().label());
        node.put("variant", spec.variants().get(plan.variant()));
        ArrayNode operands = node.putArray("operands");
        spec.make(plan).operands().forEach(o -> operands.add(operand(o)));
        return node;
    }

    private static ObjectNode operand(Operand o) {
        ObjectNode node = JSON.createObjectNode();
        node.put("name", o.name());
        node.put("dtype", o.dtype().label());
        node.set("shape", JSON.valueToTree(o.shape()));
        byte[] data = o.data();
        node.put("bytes", data == null ? null : HexFormat.of().formatHex(data));
        return node;
    }
}
