package dev.vt.shell.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * A parameter of a command that is given by a flag: a boolean is a switch, any other type takes the value behind the
 * flag.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
@interface Option {
    /** Its spellings, such as {@code -d} and {@code --device}. */
    String[] names();

    /** What it does, for the help. */
    String about();

    /** What the value is called in the help; empty for a switch. */
    String value() default "";

    /** The value where the flag is not given; empty is null, or 0 for numbers. */
    String otherwise() default "";
}
