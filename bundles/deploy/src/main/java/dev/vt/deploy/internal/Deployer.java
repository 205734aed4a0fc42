package dev.vt.deploy.internal;

import dev.vt.deploy.Deployments;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleException;
import org.osgi.framework.Version;

/**
 * Makes the framework hold the bundles that the deploy folder holds. {@link #pass()} does it once, and one thread at a time may
 * call it: files that left go first, then the new and changed ones by name, one at a time. {@link #list()} is for any thread.
 * It holds no lock while it calls the framework, and what it does depends on the folder's content alone, not on the order in
 * which files came.
 */
final class Deployer implements Deployments {
    private static final System.Logger LOG = System.getLogger("dev.vt.deploy");
    /** A file that stays incomplete is read again after 1, 2, 4, ... passes, at most this many. */
    private static final int LONGEST_PAUSE = 64;
    /** After so many readings, some seconds, an incomplete file is worth a line in the log. */
    private static final int TRIES_BEFORE_WARNING = 5;
    /** Names of removed files that are kept in the list. */
    private static final int KEPT_REMOVED = 100;

    private final Path folder;
    private final FolderScan scan;
    private final Stager stager;
    private final Gate gate;
    private final BundleInstaller installer;
    private final SortedMap<String, Entry> entries = new TreeMap<>();
    private final Map<String, Entry> removed = new LinkedHashMap<>();
    private volatile List<Entry> published = List.of();
    private boolean readable = true;
    /** Installed while the framework comes up: how their start went is to be asked afterwards. */
    private boolean notStartedYet;

    private long passes;

    Deployer(Path folder, Path staging, Gate gate, BundleInstaller installer) {
        this.folder = folder;
        this.scan = new FolderScan(folder);
        this.stager = new Stager(staging);
        this.gate = gate;
        this.installer = installer;
        for (Bundle bundle : installer.deployed()) {
            String file = BundleInstaller.file(bundle);
            entries.put(file, Entry.adopted(file, bundle));
        }
    }

    @Override
    public List<Deployment> list() {
        return published.stream().map(Entry::row).toList();
    }

    /** Looks at the folder and does what has to be done. */
    void pass() {
        passes++;
        Optional<FolderScan.Look> look = look();
        if (look.isEmpty()) {
            return;
        }
        boolean changed = removeMissing(look.get().present().keySet()::contains);
        if (changed) {
            entries.replaceAll((file, entry) -> entry.again());
        }
        look.get().present().keySet().forEach(file -> entries.computeIfAbsent(file, Entry::found));
        for (Map.Entry<String, Stamp> each : look.get().settled().entrySet()) {
            changed |= take(each.getKey(), each.getValue());
        }
        if (changed || notStartedYet) {
            startAll();
        }
        publish();
    }

    private Optional<FolderScan.Look> look() {
        try {
            FolderScan.Look look = scan.look();
            readable = true;
            return Optional.of(look);
        } catch (IOException e) {
            if (readable) {
                LOG.log(Level.WARNING, "the deploy folder " + folder + " can't be read, so nothing changes", e);
            }
            readable = false;
            return Optional.empty();
        }
    }

    private boolean removeMissing(Predicate<String> present) {
        boolean changed = false;
        for (Entry entry : List.copyOf(entries.values())) {
            if (!present.test(entry.file())) {
                changed |= remove(entry);
            }
        }
        return changed;
    }

    private boolean remove(Entry entry) {
        Bundle bundle = entry.bundle();
        if (bundle != null && bundle.getState() != Bundle.UNINSTALLED) {
            Optional<String> why = fixed(bundle);
            if (why.isPresent()) {
                refuse(entry, entry.stamp(), entry.label(), why.get());
                return false;
            }
            uninstall(bundle, entry.file());
        }
        entries.remove(entry.file());
        removed.remove(entry.file());
        removed.put(entry.file(), entry.withoutBundle(Entry.State.REMOVED, entry.reason()));
        if (removed.size() > KEPT_REMOVED) {
            removed.remove(removed.keySet().iterator().next());
        }
        return true;
    }

    private void uninstall(Bundle bundle, String file) {
        try {
            installer.uninstall(bundle);
            LOG.log(Level.INFO, "removed {0} ({1} {2})", file, bundle.getSymbolicName(), bundle.getVersion());
        } catch (BundleException e) {
            LOG.log(Level.ERROR, "removing " + file + " failed", e);
        }
    }

    /** Brings one settled file in, when its content is new or worth another try; true when the framework was changed. */
    private boolean take(String file, Stamp stamp) {
        Entry entry = entries.computeIfAbsent(file, Entry::found);
        boolean same = stamp.equals(entry.stamp());
        if (same && (entry.state() != Entry.State.WAITING || passes < entry.next())) {
            return false;
        }
        removed.remove(file);
        try {
            return switch (stager.stage(folder.resolve(file), stamp)) {
                case Stager.Result.Partial partial -> {
                    entries.put(file, postponed(entry, stamp, partial.reason(), same ? entry.tries() + 1 : 1));
                    yield false;
                }
                case Stager.Result.NoBundle no -> {
                    refuse(entry, stamp, Entry.Label.UNKNOWN, no.reason());
                    yield false;
                }
                case Stager.Result.Whole whole -> apply(entry, stamp, whole.staged());
            };
        } catch (IOException e) {
            entries.put(file, postponed(entry, stamp, BundleInstaller.reason(e), same ? entry.tries() + 1 : 1));
            return false;
        }
    }

    private Entry postponed(Entry entry, Stamp stamp, String why, int tries) {
        if (tries == TRIES_BEFORE_WARNING) {
            LOG.log(Level.WARNING, "{0} is not deployed so far: {1}", entry.file(), why);
        }
        long pause = Math.min(LONGEST_PAUSE, 1L << Math.min(tries - 1, 6));
        return entry.waiting(stamp, why, tries, passes + pause);
    }

    private boolean apply(Entry entry, Stamp stamp, Staged staged) throws IOException {
        try {
            if (entry.bundle() != null && staged.sha256().equals(entry.sha256())) {
                entries.put(entry.file(), entry.unchanged(stamp));
                return false;
            }
            Optional<String> no = gate.refusal(staged).or(() -> conflict(entry, staged));
            if (no.isPresent()) {
                refuse(
                        entry,
                        stamp,
                        new Entry.Label(staged.symbolicName(), staged.version().toString()),
                        no.get());
                return false;
            }
            entries.put(entry.file(), entry.installed(stamp, put(entry, staged), staged.sha256()));
            return true;
        } catch (BundleException | RuntimeException e) {
            refuse(
                    entry,
                    stamp,
                    new Entry.Label(staged.symbolicName(), staged.version().toString()),
                    BundleInstaller.reason(e));
            return true;
        } finally {
            Files.deleteIfExists(staged.copy());
        }
    }

    private Bundle put(Entry entry, Staged staged) throws BundleException, IOException {
        Bundle old = entry.bundle();
        if (old != null && staged.symbolicName().equals(old.getSymbolicName())) {
            Version before = old.getVersion();
            installer.update(old, staged);
            LOG.log(Level.INFO, "updated {0}: {1}, before {2}", staged.file(), staged.label(), before);
            return old;
        }
        if (old != null) {
            uninstall(old, entry.file());
        }
        Bundle bundle = installer.install(staged);
        LOG.log(Level.INFO, "installed {0}: {1}", staged.file(), staged.label());
        return bundle;
    }

    /** Why the framework as it is can't take this bundle. */
    private Optional<String> conflict(Entry entry, Staged staged) {
        Bundle own = entry.bundle();
        if (own != null && fixed(own).isPresent()) {
            return fixed(own);
        }
        for (Bundle other : installer.named(staged.symbolicName())) {
            if (other.equals(own)) {
                continue;
            }
            if (staged.natives() || natives(other)) {
                return Optional.of("restart needed: " + other.getSymbolicName() + " " + other.getVersion()
                        + " is installed and carries native libraries");
            }
            if (other.getVersion().equals(staged.version()) && !displaced(other, staged)) {
                return Optional.of(staged.label() + " is installed already, from " + origin(other));
            }
        }
        return Optional.empty();
    }

    /** Why an installed bundle can be neither replaced nor removed while the process runs. */
    private Optional<String> fixed(Bundle bundle) {
        String label = bundle.getSymbolicName() + " " + bundle.getVersion();
        if (natives(bundle)) {
            return Optional.of("restart needed: " + label + " carries native libraries and stays until then");
        }
        return installer.holdsDeployer(bundle)
                ? Optional.of("restart needed: the deployer itself uses " + label)
                : Optional.empty();
    }

    /** Of two files with the same bundle the one with the smaller name is taken, whichever came first. */
    private boolean displaced(Bundle other, Staged staged) {
        Entry loser = entryOf(other);
        if (loser == null || loser.file().compareTo(staged.file()) < 0) {
            return false;
        }
        uninstall(other, loser.file());
        entries.put(
                loser.file(),
                loser.withoutBundle(
                        Entry.State.REFUSED, staged.label() + " is installed already, from " + staged.file()));
        return true;
    }

    private @Nullable Entry entryOf(Bundle bundle) {
        return entries.values().stream()
                .filter(e -> bundle.equals(e.bundle()))
                .findFirst()
                .orElse(null);
    }

    private static String origin(Bundle bundle) {
        return bundle.getLocation().startsWith(BundleInstaller.LOCATION)
                ? BundleInstaller.file(bundle)
                : "the distribution (bundle " + bundle.getBundleId() + ")";
    }

    private static boolean natives(Bundle bundle) {
        return Stager.natives(bundle.getHeaders("")::get);
    }

    /** Said once, however often the same is found out again. */
    private void refuse(Entry entry, @Nullable Stamp stamp, Entry.Label label, String why) {
        if (!entry.reason().equals(why)) {
            LOG.log(Level.WARNING, "{0} is refused: {1}", entry.file(), why);
        }
        entries.put(entry.file(), entry.refused(stamp, label, why));
    }

    /** Starts what is not running; again, as long as one that came up may have been what another one was missing. */
    private void startAll() {
        notStartedYet = installer.beforeStartLevel();
        boolean progress = true;
        while (progress) {
            progress = false;
            for (Entry entry : List.copyOf(entries.values())) {
                progress |= start(entry);
            }
        }
        entries.values().stream()
                .filter(Entry::wantsStart)
                .filter(e -> !e.reason().isEmpty())
                .forEach(e -> LOG.log(Level.WARNING, "{0} does not start: {1}", e.file(), e.reason()));
    }

    private boolean start(Entry entry) {
        Bundle bundle = entry.bundle();
        if (bundle == null || !entry.wantsStart()) {
            return false;
        }
        Optional<String> failure = installer.start(bundle);
        entries.put(entry.file(), entry.because(failure.orElse("")));
        return failure.isEmpty() && !entry.wantsStart();
    }

    private void publish() {
        published = Stream.concat(entries.values().stream(), removed.values().stream())
                .sorted(Comparator.comparing(Entry::file))
                .toList();
    }
}
