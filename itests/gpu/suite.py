"""Runs sections and prints the table; run.sh starts it."""

import signal
import sys
import time
import traceback

import correct
import decode
import faults
import speed
import swap
from product import Failure, Product
from report import Report

SECTIONS = {
    "devices": correct.devices,
    "verify": correct.verify,
    "memcheck": correct.memcheck,
    "memory": speed.memory,
    "attention": speed.attention,
    "products": speed.products,
    "host": speed.host,
    "decode": decode.decode,
    "swap": swap.swap,
    "faults": faults.faults,
}


def main(dist, out, wanted):
    unknown = [name for name in wanted if name not in SECTIONS]
    if unknown:
        print("gpu: there is no section %s; there are %s" % (unknown[0], ", ".join(SECTIONS)), file=sys.stderr)
        return 2
    # Leaves no process behind: each is ended where it was waited for.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    product, report = Product(dist, out), Report(out)
    for name in wanted or SECTIONS:
        began = time.monotonic()
        try:
            SECTIONS[name](product, report)
        except Failure as e:
            report.add(name, "could not be run", str(e), ok=False)
        except Exception:
            traceback.print_exc()
            report.add(name, "could not be run", traceback.format_exc().strip().splitlines()[-1], ok=False)
        print("gpu: section %s took %.0f s" % (name, time.monotonic() - began), file=sys.stderr, flush=True)
    print(report.table())
    failed = report.failed()
    print("%d rows, %d failed; %s" % (len(report.rows), len(failed), report.path))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
