package dev.vt.model;

import dev.vt.api.VtException;
import dev.vt.model.gguf.GgufFile;
import dev.vt.model.gguf.GgufMetadata;
import dev.vt.ops.kernel.RouterParams;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a GGUF file says about experts: keys below the architecture's name, and the tensors of the first layer. What keys leave
 * open is what the architecture was trained with. One thread, one file.
 */
final class MixtureReader {
    /** Values of {@code expert_gating_func}. */
    private static final int SOFTMAX = 1;

    private static final int SIGMOID = 2;

    private final GgufFile file;
    private final GgufMetadata keys;
    private final String architecture;

    MixtureReader(GgufFile file, String architecture) {
        this.file = file;
        this.keys = file.metadata();
        this.architecture = architecture;
    }

    /** The experts, or null for a dense model. */
    @Nullable
    Mixture read() {
        int experts = number("expert_count", 0, 0);
        if (experts == 0) {
            return null;
        }
        int used = number("expert_used_count", -1, 1);
        RouterParams router = router(experts);
        int eligible = experts / router.groups() * router.topGroups();
        if (used > eligible) {
            throw keys.error(key("expert_used_count"), "at most the " + eligible + " that can be chosen", "" + used);
        }
        boolean shared = has("blk.0.ffn_gate_shexp.weight");
        return new Mixture(
                experts,
                used,
                width("expert_feed_forward_length", "blk.0.ffn_gate_exps.weight", 1),
                shared ? width("expert_shared_feed_forward_length", "blk.0.ffn_gate_shexp.weight", 0) : 0,
                shared && has("blk.0.ffn_gate_inp_shexp.weight"),
                has("blk.0.exp_probs_b.bias"),
                router);
    }

    private RouterParams router(int experts) {
        int groups = Math.max(1, number("expert_group_count", 0, 0));
        if (experts % groups != 0) {
            throw keys.error(key("expert_group_count"), "a divisor of the " + experts + " experts", "" + groups);
        }
        int kept = number("expert_group_used_count", 0, 0);
        if (kept > groups) {
            throw keys.error(key("expert_group_used_count"), "at most the " + groups + " groups", "" + kept);
        }
        return new RouterParams(sigmoid(), renormalised(), groups, kept == 0 ? groups : kept, scale());
    }

    private boolean sigmoid() {
        int function = number("expert_gating_func", SOFTMAX, 0);
        if (function > SIGMOID) {
            throw VtException.unsupported(file.path() + ": key '" + key("expert_gating_func")
                    + "': expected 1 (softmax) or 2 (sigmoid), given " + function);
        }
        return function == SIGMOID;
    }

    /** Of these architectures only qwen2moe leaves the weights as they are. */
    private boolean renormalised() {
        String key = key("expert_weights_norm");
        return keys.has(key) ? keys.booleanValue(key) : !architecture.equals("qwen2moe");
    }

    /** Files write 0 where there is no scale. */
    private float scale() {
        String key = key("expert_weights_scale");
        float scale = keys.has(key) ? (float) keys.doubleValue(key) : 0;
        if (!(scale >= 0) || !Float.isFinite(scale)) {
            throw keys.error(key, "0 or a number above", "" + scale);
        }
        return scale == 0 ? 1 : scale;
    }

    /** From the key, or from the tensor where files leave the key out. */
    private int width(String name, String tensor, int dimension) {
        return keys.has(key(name))
                ? number(name, 0, 1)
                : Math.toIntExact(file.tensor(tensor).dim(dimension));
    }

    private int number(String name, int absent, int least) {
        if (absent >= 0 && !keys.has(key(name))) {
            return absent;
        }
        int value = keys.intValue(key(name));
        if (value < least) {
            throw keys.error(key(name), least + " or more", "" + value);
        }
        return value;
    }

    private boolean has(String tensor) {
        return file.findTensor(tensor).isPresent();
    }

    private String key(String name) {
        return architecture + "." + name;
    }
}
