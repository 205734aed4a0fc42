"""Rows of the table, as they come: one JSON line each, and the table at the end."""

import json
import os
import sys

COLUMNS = ["section", "name", "conditions", "figure", "floor", "ratio", "peer", "ratio", ""]


#: Of the conditions in the table; rows.jsonl has all of them.
WIDEST = 110


def number(x):
    if x is None:
        return "-"
    if isinstance(x, str):
        return x
    if isinstance(x, int) or x >= 1000:
        return "{:,.0f}".format(x)
    return "%.3g" % x


class Report:
    def __init__(self, out):
        self.path = os.path.join(out, "rows.jsonl")
        self.rows = []
        open(self.path, "w").close()

    def add(self, section, name, conditions="", figure=None, unit="", floor=None, peer=None, peer_name="", ok=None):
        """
        A row. figure, floor and peer are of one unit; floor is the best that the machine allows, peer what another library needs or
        does. ok is None for a figure that nothing is asked of.
        """
        row = {
            "section": section,
            "name": name,
            "conditions": conditions,
            "figure": figure,
            "unit": unit,
            "floor": floor,
            "floorRatio": ratio(figure, floor),
            "peer": peer,
            "peerName": peer_name,
            "peerRatio": ratio(figure, peer),
            "pass": ok,
        }
        self.rows.append(row)
        with open(self.path, "a") as f:
            f.write(json.dumps(row) + "\n")
        print("gpu: " + " | ".join(c for c in cells(row) if c), file=sys.stderr, flush=True)

    def failed(self):
        return [r for r in self.rows if r["pass"] is False]

    def table(self):
        lines = [COLUMNS] + [cells(r) for r in self.rows]
        widths = [max(len(line[i]) for line in lines) for i in range(len(COLUMNS))]
        return "\n".join("  ".join(c.ljust(w) for c, w in zip(line, widths)).rstrip() for line in lines)


def ratio(figure, other):
    known = isinstance(figure, (int, float)) and isinstance(other, (int, float)) and other
    return figure / other if known else None


def cells(row):
    figure = number(row["figure"]) + (" " + row["unit"] if row["unit"] else "")
    peer = row["peerName"] + (" " + number(row["peer"]) if row["peer"] is not None else "")
    return [
        row["section"],
        row["name"],
        row["conditions"] if len(row["conditions"]) <= WIDEST else row["conditions"][:WIDEST - 3] + "...",
        "" if row["figure"] is None else figure,
        "" if row["floor"] is None else number(row["floor"]),
        "" if row["floorRatio"] is None else "%.2f" % row["floorRatio"],
        peer,
        "" if row["peerRatio"] is None else "%.2f" % row["peerRatio"],
        {True: "pass", False: "FAIL", None: ""}[row["pass"]],
    ]
