"""Write docs/verification.md: which wrong results of the library's operators verification tells: `make docs`."""

from __future__ import annotations

import sys
from pathlib import Path

PAGE = Path(__file__).with_name("verification.md")
sys.path.insert(0, str(PAGE.parents[1] / "tests"))

if __name__ == "__main__":
    from library.caught import OPERATORS, counted, page

    PAGE.write_text(page([row for name in OPERATORS for row in counted(name)]), encoding="utf-8")
