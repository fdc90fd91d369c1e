"""What kernels of other people do besides: scalar access, rows by address, returns at the beginning, guards."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyptogen.sanitize import sanitize

HEAD = """\
#include <pto/pto-inst.hpp>
using namespace pto;
#define PIPE_FIX static_cast<pipe_t>(10)
using Block = Tile<TileType::Vec, float, 16, 16>;
using Row = Tile<TileType::Vec, float, 1, 16>;
using Gm = GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, 16, 1>>;
"""
SCALARS = (
    HEAD
    + """\
__global__ AICORE void largest(__gm__ float *out, __gm__ float *in)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    Block x;
    TASSIGN(x, 0);
    Gm from(in), to(out);
    TLOAD(x, from);
    set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
    float most = 0;
    for (int i = 0; i < 256; ++i) {
        if (x.GetValue(i) > most) { most = x.GetValue(i); }
    }
    TMULS(x, x, most);
    x.SetValue(0, most);
    set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
    set_flag(PIPE_V, PIPE_FIX, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_FIX, EVENT_ID0);
    TSTORE(to, x);
}
"""
)
IN_ORDER = SCALARS.replace("    TMULS(x, x, most);\n", "")
ROWS = (
    HEAD
    + """\
__global__ AICORE void row_by_row(__gm__ float *out, __gm__ float *in, int n)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
#ifdef __CCE_AICORE__
    if (n <= 0) {
        return;
    }
    Block x, y;
    TASSIGN(x, 0);
    TASSIGN(y, 0x400);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    for (int i = 0; i < n; ++i) {
        Gm from(in + i * 256), to(out + i * 256);
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        TLOAD(x, from);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
        for (int r = 0; r < 16; ++r) {
            Row a, b;
            TASSIGN(a, (uint64_t)x.data() + r * 64);
            TASSIGN(b, (uint64_t)y.data() + r * 64);
            TADDS(b, a, 1.0f);
        }
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        TSTORE(to, y);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
#endif
}
"""
)


def found(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "kernel.cpp"
    path.write_text(text)
    (report,) = sanitize(path)
    assert report.instructions > 0
    return [finding.message for finding in report.findings]


def test_the_scalar_unit_issues_what_follows_its_wait(tmp_path: Path) -> None:
    assert found(tmp_path, IN_ORDER) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (IN_ORDER.replace("PIPE_MTE2, PIPE_S", "PIPE_MTE2, PIPE_V"), "GetValue on S may run before TLOAD on MTE2"),
        (IN_ORDER.replace("PIPE_S, PIPE_MTE3", "PIPE_V, PIPE_MTE3"), "TSTORE on MTE3 may run before SetValue on S"),
        (SCALARS, "SetValue on S may run before TMULS on V is done with Vec 0x00000..0x00004"),
    ],
)
def test_scalar_access_out_of_order(text: str, said: str, tmp_path: Path) -> None:
    assert any(said in message for message in found(tmp_path, text))


def test_rows_by_address_behind_an_early_return(tmp_path: Path) -> None:
    """Both loops are walked, and each row has bytes of its own."""
    assert found(tmp_path, ROWS) == []


def test_a_fault_behind_an_early_return(tmp_path: Path) -> None:
    lines = [line for line in ROWS.splitlines() if "PIPE_MTE3, PIPE_MTE2" not in line]
    assert any("TLOAD on MTE2 may run before TADDS on V" in m for m in found(tmp_path, "\n".join(lines)))


def test_a_gather_from_memory_brings_its_own_order(tmp_path: Path) -> None:
    """That of A2/A3 moves its elements with the scalar unit, between flags of its own; that of A5 is vector work."""
    text = IN_ORDER.replace(
        "TLOAD(x, from);",
        "Tile<TileType::Vec, int32_t, 1, 16> at;\n    TASSIGN(at, 0x400);\n"
        "    TLOAD(at, GlobalTensor<float, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>>(in));\n"
        "    MGATHER(x, from, at);",
    )
    assert found(tmp_path, text) == []
    assert found(tmp_path, text.replace("MGATHER(x, from, at)", "TLOAD(x, from);\n    TADDS(at, at, 1)")) != []
    path = tmp_path / "kernel.cpp"
    path.write_text(text)
    (report,) = sanitize(path, None, "a5")
    assert any("MGATHER on V may run before TLOAD on MTE2" in finding.message for finding in report.findings)
