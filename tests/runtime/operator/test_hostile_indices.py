"""Operators of the library with indices that name no place, under AddressSanitizer: no memory of others is accessed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from compiling import NIGHTLY, QUICK

from pyptogen.runtime.toolchain.compiler import find_compiler

SPECS = Path(__file__).parents[3] / "specs"
INDEXED = (
    *("block_sparse_attention", "dequant_rows", "embedding", "embedding_bag", "gather", "glm_attention_pre"),
    *("grouped_matmul", "index_add", "indexer_prolog", "mla_indexer_prolog", "mla_prolog", "moe_combine"),
    *("moe_dispatch", "one_hot", "paged_attention", "rope_cache", "rope_cache_interleaved", "scatter_update"),
    "sparse_attention",
)
"""The specs whose inputs have indices, places, counts, lengths or masks."""
TARGETS, CHOSEN = ("cpu,a2a3", INDEXED) if NIGHTLY else ("a2a3", ("grouped_matmul",))


def _library(command: tuple[str, ...], name: str) -> str:
    said = subprocess.run([*command, f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    return said.stdout.strip()


@pytest.mark.slow
def test_hostile_indices_lead_nowhere() -> None:
    compiler = find_compiler()
    # The sanitizer looks for what throws exceptions when the process begins, long before a kernel brings it along.
    libraries = [_library(compiler.command, name) for name in ("libasan.so", "libstdc++.so.6")]
    if compiler.family != "gcc" or not all(Path(library).is_file() for library in libraries):
        pytest.skip("needs g++ and its AddressSanitizer")
    specs = [str(SPECS / f"{name}.yaml") for name in CHOSEN]
    said = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("hostile_indices.py")), TARGETS, QUICK[0], *specs],
        env={**os.environ, "LD_PRELOAD": " ".join(libraries), "ASAN_OPTIONS": "detect_leaks=0"},
        capture_output=True,
        text=True,
        check=False,
    )
    print(said.stdout)
    assert said.returncode == 0, said.stdout[-2000:] + said.stderr[-6000:]
    assert " 0 wrong" in said.stdout
