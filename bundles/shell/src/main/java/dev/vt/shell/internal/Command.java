package dev.vt.shell.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks a method of a {@link CommandGroup} as a command. The command's name is the method's, in lower case with
 * hyphens. Its parameters are a {@link Terminal}, {@link Option}s and {@link Argument}s, in any order. What it returns
 * is printed.
 *
 * <p>These annotations take the place of Gogo's: Gogo can't call a command with a hyphen, and tells of arguments that
 * don't fit only that it "cannot coerce" them.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
@interface Command {
    /** What the command does, one sentence for the help. */
    String value();

    /** A line that can be typed. */
    String example();
}
