package dev.vt.api.op;

import dev.vt.api.device.Device;
import org.jspecify.annotations.Nullable;

/**
 * Counters of one op on one device.
 *
 * @param op the op's name
 * @param device the device
 * @param lastSelected the provider selected now or last; null when there never was one
 * @param selections calls served while call counting was on
 * @param declines calls that a kernel declined, each decline counted
 * @param fallbacks calls and look-ups that found nothing eligible
 */
public record OpStats(
        String op, Device device, @Nullable String lastSelected, long selections, long declines, long fallbacks) {}
