package dev.vt.launcher;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import org.osgi.framework.BundleException;

/** The program that {@code bin/vt} starts. Every end of it sets an exit code: 0 ok, 1 failed, 2 usage. */
public final class Main {
    private static final int OK = 0;
    private static final int FAILED = 1;
    private static final int USAGE = 2;

    private Main() {}

    public static void main(String[] args) {
        System.exit(run(Arguments.parse(args)));
    }

    private static int run(Arguments arguments) {
        return switch (arguments) {
            case Arguments.Help _ -> say(Arguments.USAGE);
            case Arguments.Version _ -> say("vt " + version());
            case Arguments.Wrong wrong -> {
                System.err.println("vt: " + wrong.sentence());
                System.err.println(Arguments.USAGE);
                yield USAGE;
            }
            default -> launch(arguments);
        };
    }

    private static int launch(Arguments arguments) {
        String home = System.getProperty("vt.home");
        if (home == null) {
            System.err.println("vt: the system property vt.home is not set; start through bin/vt");
            return FAILED;
        }
        try {
            return new Launcher(Path.of(home).toAbsolutePath().normalize(), arguments).run();
        } catch (IOException | BundleException | IllegalStateException e) {
            System.err.println("vt: can't start: " + OneLine.reason(e));
            return FAILED;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return FAILED;
        }
    }

    private static String version() {
        return Objects.requireNonNullElse(Main.class.getPackage().getImplementationVersion(), "(development build)");
    }

    private static int say(String text) {
        System.out.println(text);
        return OK;
    }
}
