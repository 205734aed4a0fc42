#!/usr/bin/env bash
# Measures and checks vt on the GPU of this machine, from an unpacked distribution, and prints one table.
#
#   itests/gpu/run.sh DIST [OUT [SECTION...]]
#
# DIST is the folder that has bin/vt; OUT gets rows.jsonl, one row a line, and what each step printed (a new temporary folder if not
# given). Without sections all are run. See README.md beside this. No network is used; nothing outside OUT is written but what vt itself
# caches. Exit codes: 0 all rows passed, 1 a row failed, 2 wrong usage, 3 no CUDA device.
set -euo pipefail

say() { echo "gpu: $*" >&2; }

if [ $# -lt 1 ] || [ "${1#-}" != "$1" ]; then
    say "usage: run.sh DIST [OUT [SECTION...]]"
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -x "$1/bin/vt" ]; then
    say "$1 is no unpacked distribution: bin/vt is not there"
    exit 2
fi
dist=$(cd "$1" && pwd)
out=${2:-$(mktemp -d)}
mkdir -p "$out"
out=$(cd "$out" && pwd)
shift
[ $# -eq 0 ] || shift

# One line a device, values between tabs: device, name, backend, state, units, unified, host-addressable, reason.
if ! devices=$("$dist/bin/vt" -c 'vt:devices --no-format' 2>"$out/devices.err"); then
    say "bin/vt did not run: $(grep -v '^WARNING' "$out/devices.err" | tail -1)"
    exit 2
fi
state=$(awk -F '\t' '$1 == "cuda:0" { print $4 }' <<<"$devices")
if [ "$state" != present ]; then
    say "there is no CUDA device to measure: $(awk -F '\t' '$1 == "cuda:0" { print $8; n++ } END { if (!n) print "cuda:0 is not listed" }' <<<"$devices")"
    exit 3
fi
if ! command -v python3 >/dev/null; then
    say "python3 is not there, which drives the sections"
    exit 2
fi
exec env PYTHONDONTWRITEBYTECODE=1 python3 "$here/suite.py" "$dist" "$out" "$@"
