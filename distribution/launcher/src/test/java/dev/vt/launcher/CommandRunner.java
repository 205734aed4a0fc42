package dev.vt.launcher;

import java.util.Objects;
import java.util.function.IntConsumer;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.FrameworkListener;
import org.osgi.framework.ServiceReference;

/**
 * Stands in for the shell bundle in the tests of the launcher, by the contract of its README. It runs three commands: a number
 * is the exit code, {@code wait} does nothing, {@code stuck} makes its bundle never stop.
 */
public final class CommandRunner implements BundleActivator {
    @Override
    public void start(BundleContext context) throws Exception {
        ServiceReference<IntConsumer> reference = context.getServiceReferences(IntConsumer.class, "(vt.exit=true)")
                .iterator()
                .next();
        IntConsumer exit = context.getService(reference);
        String text = Objects.requireNonNullElse(context.getProperty("vt.exec"), "wait");
        context.addFrameworkListener((FrameworkListener) event -> {
            if (event.getType() == FrameworkEvent.STARTED) {
                System.out.println("started " + context.getProperty("org.osgi.framework.storage"));
                if (text.matches("[0-9]+")) {
                    exit.accept(Integer.parseInt(text));
                } else if (text.equals("stuck")) {
                    exit.accept(0);
                }
            }
        });
    }

    @Override
    public void stop(BundleContext context) throws Exception {
        System.getLogger("runner").log(System.Logger.Level.INFO, "runner stopped");
        System.out.println("stopped");
        if ("stuck".equals(context.getProperty("vt.exec"))) {
            Thread.currentThread().join();
        }
    }
}
