package dev.vt.shell.internal;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import org.apache.felix.service.command.CommandProcessor;
import org.apache.felix.service.command.CommandSession;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkEvent;
import org.osgi.framework.FrameworkListener;
import org.osgi.framework.InvalidSyntaxException;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.util.tracker.ServiceTracker;

/**
 * Runs what {@code vt -c} and {@code vt --script} ask for, on a thread of its own, once the framework has started,
 * the commands are there and no provider is being tested; then hands the exit code to the launcher. Does nothing in an interactive process. Owns its
 * thread and session.
 */
@Component(
        immediate = true,
        service = {})
public final class ExecRunner {
    /** Framework property with commands to run. */
    static final String EXEC = "vt.exec";

    /** Framework property with the path of a file of commands. */
    static final String SCRIPT = "vt.script";

    /** A start takes under 3 s; more than this means that something is broken. */
    private static final long READY_SECONDS = 20;

    /** How long a stopping framework waits for a command that was interrupted. */
    private static final long STOP_SECONDS = 5;

    /** Where a command without a scope is looked for; the interactive shell's profile says the same. */
    private static final String SCOPES = "vt:gogo:felix";

    private final BundleContext context;
    private final CommandProcessor processor;
    private final IntConsumer exit;
    private final AtomicBoolean begun = new AtomicBoolean();
    private final FrameworkListener listener = this::event;
    private volatile @Nullable Thread thread;

    @Activate
    public ExecRunner(
            BundleContext context,
            @Reference CommandProcessor processor,
            @Reference(target = "(vt.exit=true)") IntConsumer exit) {
        this.context = context;
        this.processor = processor;
        this.exit = exit;
        if (context.getProperty(EXEC) != null || context.getProperty(SCRIPT) != null) {
            context.addFrameworkListener(listener);
            if (context.getBundle(0).getState() == Bundle.ACTIVE) {
                begin();
            }
        }
    }

    private void event(FrameworkEvent event) {
        if (event.getType() == FrameworkEvent.STARTED) {
            begin();
        }
    }

    private void begin() {
        if (begun.compareAndSet(false, true)) {
            Thread t = Thread.ofPlatform().name("vt commands").unstarted(this::run);
            t.setContextClassLoader(null);
            thread = t;
            t.start();
        }
    }

    private void run() {
        // Gogo puts streams of its own before System.out; a session over those would write to itself.
        try (PrintStream out = stream(FileDescriptor.out, "stdout.encoding");
                PrintStream err = stream(FileDescriptor.err, "stderr.encoding")) {
            int code = 1;
            try (CommandSession session = processor.createSession(new FileInputStream(FileDescriptor.in), out, err)) {
                awaitCommands(err);
                new AdmissionWait(context, err).await();
                session.put("SCOPE", SCOPES);
                code = new Execution(session, out, err).run(text());
            } catch (IOException e) {
                err.println("Error: the script can't be read: " + e);
            } catch (InterruptedException e) {
                err.println("Error: stopped before the commands were run");
            }
            out.flush();
            err.flush();
            exit.accept(code);
        }
    }

    private static PrintStream stream(FileDescriptor descriptor, String encoding) {
        Charset charset = Charset.forName(System.getProperty(encoding, StandardCharsets.UTF_8.name()));
        return new PrintStream(new FileOutputStream(descriptor), true, charset);
    }

    private String text() throws IOException {
        String commands = context.getProperty(EXEC);
        return commands != null ? commands : Files.readString(Path.of(context.getProperty(SCRIPT)));
    }

    /** The commands wait for the registries of ops and of backends, so their presence says that those are there. */
    private void awaitCommands(PrintStream err) throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(READY_SECONDS);
        for (CommandSpec command : HelpCommands.always()) {
            long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (!there(command.name(), Math.max(1, millis))) {
                err.println("vt: after " + READY_SECONDS + " s " + command.fullName()
                        + " is still missing: the registry of ops or of backends did not start; see log/vt.log");
                return;
            }
        }
    }

    private boolean there(String command, long millis) throws InterruptedException {
        try {
            ServiceTracker<Object, Object> tracker = new ServiceTracker<>(
                    context,
                    context.createFilter("(&(osgi.command.scope=" + CommandGroup.SCOPE + ")(osgi.command.function="
                            + command + "))"),
                    null);
            tracker.open();
            try {
                return tracker.waitForService(millis) != null;
            } finally {
                tracker.close();
            }
        } catch (InvalidSyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    @Deactivate
    void stop() throws InterruptedException {
        context.removeFrameworkListener(listener);
        Thread t = thread;
        if (t != null && t != Thread.currentThread()) {
            t.interrupt();
            t.join(TimeUnit.SECONDS.toMillis(STOP_SECONDS));
        }
    }
}
