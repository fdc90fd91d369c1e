"""Imports go one way: `make lint` knows the rooms (`[tool.importlinter]`), this knows the files."""

from __future__ import annotations

from graphlib import TopologicalSorter

import grimp
from _pytest.assertion.rewrite import AssertionRewritingHook

from pyptogen.lower import pipeline


def test_no_files_import_each_other() -> None:
    """Not even inside of functions; only annotations may."""
    graph = grimp.build_graph("pyptogen", exclude_type_checking_imports=True)
    imports = {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}
    assert len(imports) > 500
    TopologicalSorter(imports).prepare()  # raises CycleError, which names the files


def test_assertions_of_the_compiler_are_as_users_have_them() -> None:
    """Not rewritten as those of tests are, which takes seconds in each worker."""
    assert not isinstance(pipeline.__loader__, AssertionRewritingHook)
