"""Is it right? Devices, the conformance kit on each provider, and the kit under a memory checker."""

import json
import re
import shutil

from product import Failure

DEVICE = "cuda:0"

#: The kit is the test here; the one at start would run it twice.
QUICKLY = ["-Dvt.admission=off"]

MEMCHECK_SECONDS = 300

CHECKERS = ["memcheck", "racecheck", "synccheck"]


def devices(product, report):
    for row in product.json("vt:devices"):
        caps = row["caps"]
        report.add(
            "devices",
            row["device"],
            "%s; %s.%s, %d units; %s" % (row["name"], caps["major"], caps["minor"], caps["units"], ",".join(caps["features"])),
            figure=row["state"],
            ok=row["state"] == "present" if row["device"] == DEVICE else None,
        )


def verify(product, report):
    names = sorted({r["name"] for r in product.json("vt:providers") if r["device"] == DEVICE})
    if not names:
        raise Failure("no provider serves " + DEVICE)
    for name in names:
        ended = product.run("vt:verify %s --device %s --full --json" % (name, DEVICE), timeout=900, options=QUICKLY)
        told = result(ended)
        for failure in told["failures"][:5]:
            report.add("verify", name, "%s %s: %s" % (failure["op"], failure["call"], failure["error"]), ok=False)
        declined = sum(told["declines"].values()) if isinstance(told["declines"], dict) else told["declines"]
        report.add(
            "verify",
            name,
            "%s kernels, %s declined, %.1f s; worst %s" % (count(told["ops"]), declined, told["seconds"], worst(told["worst"])),
            figure=told["cases"],
            unit="cases, %d failed" % told["failed"],
            ok=told["failed"] == 0 and told["cases"] > 0,
        )


def result(ended):
    try:
        return json.loads(ended.out)
    except ValueError:
        raise Failure(ended.complaint() or "the command ended with %s" % ended.code) from None


def count(ops):
    return len(ops) if isinstance(ops, (list, dict)) else ops


def worst(by_dtype):
    """The largest error by what is stored; the kit tells each pair of types."""
    stored = {}
    for types, error in by_dtype.items():
        into = types.split(" to ")[-1]
        stored[into] = max(error, stored.get(into, 0.0))
    return ", ".join("%s %.2g" % pair for pair in sorted(stored.items()))


def memcheck(product, report):
    """The quick cases under NVIDIA's checkers; the virtual machine's own signals are not their concern."""
    path = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin:/opt/cuda/bin")
    for tool in CHECKERS if path else ():
        checked(product, report, path, tool)
    if path is None:
        report.add("memcheck", "vt-native", "compute-sanitizer is not on this machine", figure="not run")


def checked(product, report, path, tool):
    ended = product.run(
        "vt:verify vt-native --device %s --json" % DEVICE,
        timeout=MEMCHECK_SECONDS,
        options=QUICKLY,
        before=[path, "--tool", tool, "--target-processes", "all", "--error-exitcode", "97"],
    )
    said = ended.out + ended.err
    # A race is told as an error or as a warning; the latter is for a person to look at.
    found = re.findall(r"ERROR SUMMARY: (\d+) error|SUMMARY: \d+ hazards? displayed \((\d+) error", said)
    if ended.code is None:
        report.add("memcheck", tool, "did not end within %d s" % MEMCHECK_SECONDS, figure="not finished")
        return
    if not found:
        report.add("memcheck", tool, "no summary: code %s, %s" % (ended.code, ended.complaint()), figure="not finished")
        return
    errors = sum(int(a or b) for a, b in found)
    ran, warnings = re.search(r'"cases":(\d+)', ended.out), re.search(r"(\d+) warnings?\)", said)
    report.add(
        "memcheck",
        tool,
        "vt-native, quick cases: %s; %s warnings; %.0f s" % (
            ran.group(1) if ran else "none", warnings.group(1) if warnings else "no", ended.seconds),
        figure=errors,
        unit="errors",
        ok=errors == 0 and ran is not None,
    )
