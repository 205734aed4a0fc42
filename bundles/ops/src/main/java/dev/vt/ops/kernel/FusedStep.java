package dev.vt.ops.kernel;

import dev.vt.api.VtException;
import java.util.List;

/**
 * One step of a fused recipe. Operands are numbers of slots.
 *
 * @param code what it does
 * @param form which form of a normalisation
 * @param outputs where the results go
 * @param inputs what it reads, in the order of the code's formula
 * @param weights the parameters it takes
 */
public record FusedStep(StepCode code, Form form, List<Integer> outputs, List<Integer> inputs, List<Integer> weights) {
    /** Which form of a normalisation a step is. */
    public enum Form {
        /** Times the weight; times silu of the gate. */
        PLAIN,
        /** Times 1 + the weight. */
        GEMMA,
        /** As the operands of the call say. */
        CHOSEN
    }

    /** Checks that the numbers of operands are those of the code. */
    public FusedStep {
        outputs = List.copyOf(outputs);
        inputs = List.copyOf(inputs);
        weights = List.copyOf(weights);
        if (outputs.size() != code.outputs() || inputs.size() != code.inputs() || weights.size() != code.weights()) {
            throw VtException.invalidArgument("step " + code + ": expected " + code.outputs() + " outputs, "
                    + code.inputs() + " inputs and " + code.weights() + " weights, given " + outputs + ", " + inputs
                    + " and " + weights);
        }
    }

    /** A step without weights. */
    public static FusedStep of(StepCode code, int output, Integer... inputs) {
        return new FusedStep(code, Form.PLAIN, List.of(output), List.of(inputs), List.of());
    }

    /** A normalisation. */
    public static FusedStep rmsNorm(Form form, int output, int input, int weight) {
        return new FusedStep(StepCode.RMS_NORM, form, List.of(output), List.of(input), List.of(weight));
    }
}
