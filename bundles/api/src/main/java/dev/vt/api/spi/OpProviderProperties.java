package dev.vt.api.spi;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.osgi.service.component.annotations.ComponentPropertyType;

/**
 * The service properties of a provider. They let the registry list and order a provider, and leave it unloaded while it is
 * disabled, without making an instance. The priority can be changed at run time by configuration.
 */
@ComponentPropertyType
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface OpProviderProperties {
    /** What the property names start with. */
    String PREFIX_ = "vt.provider.";

    /** The provider's name: service property {@code vt.provider.name}. */
    String name();

    /** The priority: service property {@code vt.provider.priority}, an int, a long or numeric text. */
    int priority();

    /** The name of the device type: service property {@code vt.provider.device}. */
    String device();
}
