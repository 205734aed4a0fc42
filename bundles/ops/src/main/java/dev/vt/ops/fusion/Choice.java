package dev.vt.ops.fusion;

/**
 * Which realisation a recipe takes on a device, and why not an earlier one.
 *
 * @param realisation what would run now
 * @param reason one sentence
 */
public record Choice(Realisation realisation, String reason) {
    @Override
    public String toString() {
        return realisation.label() + ": " + reason;
    }
}
