package dev.vt.shell.internal;

import org.apache.felix.service.command.Converter;
import org.jspecify.annotations.Nullable;
import org.osgi.service.component.annotations.Component;

/** Lets Gogo show results as tables. Stateless. */
@Component(service = Converter.class)
public final class ViewConverter implements Converter {
    /** Results are not converted to anything. */
    @Override
    public @Nullable Object convert(Class<?> desiredType, Object in) {
        return null;
    }

    @Override
    public @Nullable CharSequence format(Object target, int level, Converter escape) {
        return target instanceof View view && level == INSPECT ? Page.of(view).table() : null;
    }
}
