"""Write docs/operations.md from the registry of operations: `make docs`."""

from __future__ import annotations

from pathlib import Path

from pyptogen.explain import operations_page

PAGE = Path(__file__).with_name("operations.md")

if __name__ == "__main__":
    PAGE.write_text(operations_page(), encoding="utf-8")
