"""Imports go one way: `make lint` knows the rooms (`[tool.importlinter]`), this knows the files."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp


def test_no_files_import_each_other() -> None:
    """Not even inside of functions; only annotations may."""
    graph = grimp.build_graph("pyptogen", exclude_type_checking_imports=True)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 500
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the files
