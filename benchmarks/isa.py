"""The bundled PTO-ISA headers against the machine's limits and against the public CPU simulator.

    python benchmarks/isa.py [--part limits|simulator] [--match REGEX] [--runs 9] [--compilations 3] [--json FILE]
                             [--strict]

One thread. The second part needs an installation of PTO-ISA, named by PTO_ISA_ROOT, and a compiler that takes it
(clang++ 19). README.md beside this file says how to read the tables.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from isa_limits import measure_limits, table_of_limits
from isa_simulator import measure_against, table_of_times


def main() -> int:
    """Measure, print, and with --strict fail when an aim is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("limits", "simulator"), help="only this part")
    parser.add_argument("--match", default="", help="only instructions whose name this regular expression finds")
    parser.add_argument("--runs", type=int, default=9, help="rounds of turns")
    parser.add_argument("--compilations", type=int, default=3, help="how often each kernel is compiled")
    parser.add_argument("--json", type=Path, help="keep the figures in this file")
    parser.add_argument("--strict", action="store_true", help="end with 1 when an aim is missed")
    options = parser.parse_args()
    result: dict[str, list[dict[str, object]]] = {}
    if options.part != "simulator":
        result["limits"] = measure_limits(options.match, options.runs)
        print("\n".join(table_of_limits(result["limits"])))
    if options.part != "limits":
        root = os.environ.get("PTO_ISA_ROOT")
        if not root:
            print("\nPTO_ISA_ROOT is not set: the public CPU simulator is left out, its columns stay empty.")
        result["compile"], result["run"] = measure_against(
            Path(root) if root else None, options.compilations, options.runs
        )
        print("\n" + "\n".join(table_of_times(result["compile"], result["run"])))
    if options.json is not None:
        options.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    missed = [record for records in result.values() for record in records if not record.get("kept", True)]
    print(f"\n{len(missed)} of the aims missed")
    return 1 if options.strict and missed else 0


if __name__ == "__main__":
    sys.exit(main())
