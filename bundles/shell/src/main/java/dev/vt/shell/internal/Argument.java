package dev.vt.shell.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** A parameter of a command that is given by its place. One of type List takes all that are left. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.PARAMETER)
@interface Argument {
    /** What it is called in the help. */
    String name();

    /** What it means, for the help. */
    String about();

    boolean optional() default false;
}
