"""Kernels that nobody here made: what is followed, what is found and where, what is refused."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pyptogen.cli.app import app
from pyptogen.diagnostics import DiagnosticError
from pyptogen.sanitize import machine, sanitize

HEAD = """\
#include <pto/pto-inst.hpp>
using namespace pto;
constexpr int kCols = 64;
template <typename T, int Rows>
using Rows64 = Tile<TileType::Vec, T, Rows, kCols, BLayout::RowMajor, -1, -1>;
"""
GOOD = (
    HEAD
    + """\
template <typename T, int Rows>
__global__ AICORE void twice(__gm__ T __out__ *out, __gm__ T __in__ *in, int n)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    using Gm = GlobalTensor<T, Shape<1, 1, 1, Rows, kCols>, Stride<1, 1, 1, kCols, 1>>;
    Rows64<T, Rows> tiles[2] = {Rows64<T, Rows>(Rows, kCols), Rows64<T, Rows>(Rows, kCols)};
    TASSIGN(tiles[0], 0x0);
    TASSIGN(tiles[1], Rows * kCols * sizeof(T));
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
    for (int i = 0; i < n; ++i) {
        const event_t id = (event_t)(i % 2);
        Gm from(in + i * Rows * kCols);
        Gm to(out + i * Rows * kCols);
        wait_flag(PIPE_MTE3, PIPE_MTE2, id);
        TLOAD(tiles[i % 2], from);
        set_flag(PIPE_MTE2, PIPE_V, id);
        wait_flag(PIPE_MTE2, PIPE_V, id);
        TMULS(tiles[i % 2], tiles[i % 2], (T)2);
        set_flag(PIPE_V, PIPE_MTE3, id);
        wait_flag(PIPE_V, PIPE_MTE3, id);
        TSTORE(to, tiles[i % 2]);
        set_flag(PIPE_MTE3, PIPE_MTE2, id);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
}
template <typename T, int Rows>
void launch(T *out, T *in, int n, void *stream)
{
    if constexpr (std::is_same_v<T, half>) {
        twice<half, Rows><<<1, nullptr, stream>>>((half *)out, (half *)in, n);
    } else {
        twice<T, Rows><<<1, nullptr, stream>>>(out, in, n);
    }
}
template void launch<float, 16>(float *out, float *in, int n, void *stream);
template void launch<half, 32>(half *out, half *in, int n, void *stream);
"""
)


def check(tmp_path: Path, text: str) -> list[tuple[str, str, int]]:
    """(code, kind, line) of everything that is found."""
    file = tmp_path / "kernel.cpp"
    file.write_text(text)
    found = [d for report in sanitize(file) for d in report.findings]
    return [(d.code, d.message.split(":")[0], d.span.line if d.span else 0) for d in found]


def line_of(text: str, part: str, nth: int = 1) -> int:
    lines = [i for i, line in enumerate(text.split("\n"), 1) if part in line]
    return lines[nth - 1]


def test_templates_arrays_and_rotating_ids(tmp_path: Path) -> None:
    file = tmp_path / "kernel.cpp"
    file.write_text(GOOD)
    reports = sanitize(file)
    assert [report.name for report in reports] == ["launch<float, 16>", "launch<half, 32>"]
    assert all(report.instructions == 9 and not report.findings for report in reports)


@pytest.mark.parametrize(
    ("old", "new", "kind", "at"),
    [
        ("        wait_flag(PIPE_MTE2, PIPE_V, id);\n", "", "race", "TMULS("),
        ("        set_flag(PIPE_MTE2, PIPE_V, id);\n", "", "deadlock", "wait_flag(PIPE_MTE2, PIPE_V"),
        ("    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);\n", "", "left over", "void launch"),
        ("TASSIGN(tiles[1], Rows * kCols * sizeof(T))", "TASSIGN(tiles[1], 0x80)", "race", "TLOAD("),
        ("TASSIGN(tiles[1], Rows * kCols * sizeof(T))", "TASSIGN(tiles[1], 0x2fff0)", "capacity", "TLOAD("),
    ],
)
def test_faults_are_found_where_they_are(old: str, new: str, kind: str, at: str, tmp_path: Path) -> None:
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    found = check(tmp_path, text)
    assert (kind, line_of(text, at)) in {(what, line) for _, what, line in found}


def test_a_vector_result_needs_a_barrier(tmp_path: Path) -> None:
    text = GOOD.replace("(T)2);\n", "(T)2);\n        TADDS(tiles[i % 2], tiles[i % 2], (T)1);\n")
    found = check(tmp_path, text)
    assert ("PTG305", "hazard", line_of(text, "TADDS(")) in found
    assert check(tmp_path, text.replace("        TADDS", "        pipe_barrier(PIPE_V);\n        TADDS")) == []


def test_a5_needs_no_barrier_and_has_a_larger_memory(tmp_path: Path) -> None:
    file = tmp_path / "kernel.cpp"
    again = GOOD.replace("(T)2);\n", "(T)2);\n        TADDS(tiles[i % 2], tiles[i % 2], (T)1);\n")
    file.write_text(again.replace("TASSIGN(tiles[1], Rows * kCols * sizeof(T))", "TASSIGN(tiles[1], 0x30000)"))
    kinds = [{d.message.split(":")[0] for r in sanitize(file, None, t) for d in r.findings} for t in ("a2a3", "a5")]
    assert kinds == [{"hazard", "capacity"}, set()]
    with pytest.raises(DiagnosticError, match="PTG218"):
        sanitize(file, None, "cpu")


EVENTS = (
    HEAD
    + """\
extern "C" __global__ AICORE void add(__gm__ float *out, __gm__ float *a, int mode)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    Rows64<float, 8> x(8, 64), y(8, 64);
    TASSIGN<0x0>(x);
    TASSIGN<0x4000>(y);
    GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>> from(a), to(out);
    Event<Op::TLOAD, Op::TADD> loaded;
    Event<Op::TADD, Op::TSTORE_VEC> added;
    loaded = TLOAD(x, from);
    added = TADD(y, x, x, loaded);
    TSTORE(to, y, added);
}
"""
)


def test_event_objects(tmp_path: Path) -> None:
    assert check(tmp_path, EVENTS) == []
    assert ("PTG305", "race", line_of(EVENTS, "TADD(y")) in check(tmp_path, EVENTS.replace("x, x, loaded", "x, x"))


BRANCHES = EVENTS.replace(
    "added = TADD", "if (mode > 0) {\n        TMULS(x, x, 2.0f, loaded);\n    }\n    added = TADD"
)


def test_both_ways_of_a_branch_are_walked(tmp_path: Path) -> None:
    """With the branch not taken the event is waited for by TADD; taken, TADD needs a barrier behind TMULS."""
    text = BRANCHES
    assert ("PTG305", "hazard", line_of(text, "TADD(y")) in check(tmp_path, text)


@pytest.mark.parametrize(
    ("old", "new", "word"),
    [
        ("TASSIGN<0x0>(x);", "", "no address"),
        ("TADD(y, x, x, loaded)", "MyAdd(y, x, x)", "MyAdd"),
        ("loaded = TLOAD", "goto end;\n    loaded = TLOAD", "`goto`"),
        ("TASSIGN<0x4000>(y);", "TASSIGN<0x4000>(y);\n    set_flag(PIPE_MTE2, PIPE_V, (event_t)mode);", "event id"),
        ("__global__", "", "no kernel"),
    ],
)
def test_what_is_not_followed_is_named_with_its_line(old: str, new: str, word: str, tmp_path: Path) -> None:
    file = tmp_path / "kernel.cpp"
    file.write_text(EVENTS.replace(old, new))
    with pytest.raises(DiagnosticError) as raised:
        sanitize(file)
    diagnostic = raised.value.diagnostics[0]
    assert diagnostic.code == "PTG306"
    assert word in diagnostic.message
    assert diagnostic.span is not None


def test_a_loop_without_an_end_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """After a tenth of the statements that it is followed for elsewhere, each the same."""
    monkeypatch.setattr(machine, "STATEMENTS", machine.STATEMENTS / 10)
    file = tmp_path / "kernel.cpp"
    file.write_text(HEAD + "__global__ AICORE void kernel(int n) { int a = 0; for (;;) { for (;;) { ++a; } } }\n")
    (report,) = sanitize(file)
    assert (report.instructions, report.flags) == (0, 0)


def test_what_is_no_whole_file_is_read_to_its_end(tmp_path: Path) -> None:
    """Cut anywhere, a file is refused, or its functions are found; nothing else happens."""
    file = tmp_path / "kernel.cpp"
    text = (Path(__file__).parent / "kernels" / "kernel_class.cpp").read_text()
    for at in range(0, len(text), 97):
        file.write_text(text[:at])
        with contextlib.suppress(DiagnosticError):
            sanitize(file)


def test_conditional_compilation_and_macros(tmp_path: Path) -> None:
    text = EVENTS.replace("TASSIGN<0x4000>(y);", "#ifdef __PTO_AUTO__\n#else\n    TASSIGN(y, HIGH);\n#endif")
    text = "#define HIGH 0x4000  // bytes\n" + text
    assert check(tmp_path, text) == []


def test_a_file_is_not_in_order_where_nothing_was_seen(tmp_path: Path) -> None:
    """A function that was not understood is refused where it is called; one of a header that is not here is unknown."""
    file = tmp_path / "kernel.cpp"
    body = "template <int N> AICORE void body(__gm__ float *p) {{ {} }}\n"
    kernel = HEAD + "{}__global__ AICORE void kernel(__gm__ float *p) {{ {}<3>(p); }}\n"
    file.write_text(kernel.format(body.format("goto end;"), "body"))
    with pytest.raises(DiagnosticError, match="`goto`"):
        sanitize(file)
    for helper in ("", body.format("")):
        file.write_text(kernel.format(helper, "body"))
        done = CliRunner().invoke(app, ["sanitize", str(file)])
        assert "kernel: nothing to judge (0 instructions" in done.output


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.cpp", tmp_path / "bad.cpp"
    good.write_text(GOOD)
    bad.write_text(GOOD.replace("        wait_flag(PIPE_V, PIPE_MTE3, id);\n", ""))
    done = CliRunner().invoke(app, ["sanitize", str(good), "--set", "n=2"])
    assert done.exit_code == 0
    assert "launch<float, 16>: in order (6 instructions" in done.output
    done = CliRunner().invoke(app, ["sanitize", str(good), str(bad)])
    assert isinstance(done.exception, DiagnosticError)
    assert done.exception.diagnostics[0].code == "PTG305"


MIXED = (
    HEAD
    + """\
using Acc = TileAcc<float, 16, 64>;
using Fifo = TPipe<0, Direction::DIR_C2V, 16 * 64 * 4, 2>;
extern "C" __global__ AICORE void scaled(__gm__ float *out, __gm__ half *a, __gm__ half *b, __gm__ float *fifo, int n)
{
    set_ffts_base_addr(0);
    set_mask_norm();
    set_vector_mask(-1, -1);
    Fifo pipe(fifo, 0x0, 0x0);
#if defined(__DAV_CUBE__)
    Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor> a1;
    Tile<TileType::Mat, half, 16, 64, BLayout::ColMajor, 16, 64, SLayout::RowMajor> b1;
    TileLeft<half, 16, 16> a0;
    TileRight<half, 16, 64> b0;
    Acc c;
    TASSIGN(a1, 0x0); TASSIGN(b1, 0x1000); TASSIGN(a0, 0x0); TASSIGN(b0, 0x0); TASSIGN(c, 0x0);
    GlobalTensor<half, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, 16, 1>> from(a);
    GlobalTensor<half, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>> with(b);
    TLOAD(a1, from);
    TLOAD(b1, with);
    set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    TMOV(a0, a1);
    TMOV(b0, b1);
    set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    for (int i = 0; i < n; i += 16) {
        wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
        TMATMUL(c, a0, b0);
        set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
        wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
        TPUSH<Fifo, Acc, TileSplitAxis::TILE_NO_SPLIT>(pipe, c);
        set_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
    }
    wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);
#else
    using Vec = Rows64<float, 16>;
    for (int i = 0; i < n; i += 16) {
        Vec x(16, 64);
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        TPOP<Fifo, Vec, TileSplitAxis::TILE_NO_SPLIT>(pipe, x);
        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        TMULS(x, x, 2.0f);
        set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        GlobalTensor<float, Shape<1, 1, 1, 16, 64>, Stride<1, 1, 1, 64, 1>> to(out + i * 64);
        TSTORE(to, x);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
#endif
}
"""
).replace("    using Vec =", "    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);\n    using Vec =")
"""Both programs in one function; popped tiles take turns in two places that the pipe gives them."""


def test_both_programs_of_one_function(tmp_path: Path) -> None:
    file = tmp_path / "kernel.cpp"
    file.write_text(MIXED)
    (report,) = sanitize(file)
    assert report.name == "scaled"
    assert report.findings == ()


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("        TPUSH<Fifo, Acc, TileSplitAxis::TILE_NO_SPLIT>(pipe, c);\n", "", "deadlock"),
        (
            "        TPOP<Fifo, Vec, TileSplitAxis::TILE_NO_SPLIT>(pipe, x);\n",
            "        TASSIGN(x, 0x0);\n",
            "left over",
        ),
        ("i < n; i += 16) {\n        Vec", "i < n; i += 32) {\n        Vec", "left over"),
        (
            "        set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n        wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);\n",
            "",
            "race",
        ),
        ("16 * 64 * 4, 2>", "16 * 64 * 4, 5>", "race"),
        ("        wait_flag(PIPE_FIX, PIPE_M, EVENT_ID0);\n", "", "race"),
    ],
)
def test_faults_between_the_programs(old: str, new: str, kind: str, tmp_path: Path) -> None:
    text = MIXED.replace(old, new, 1)
    assert text != MIXED
    assert kind in {what for _, what, _ in check(tmp_path, text)}


LOOSE = (
    MIXED.replace("using Acc = TileAcc<float, 16, 64>;", "using Acc = TileAcc<float, 32, 64, DYNAMIC, 64>;")
    .replace("half, 16, 16", "half, 32, 16")
    .replace("half, 32, 16> a0", "half, 32, 16, -1, 16> a0(n)")
    .replace("    Acc c;", "    Acc c(n);")
)
"""The number of rows hangs on the call: the matrix unit leaves the sum's columns 16 or 32 rows apart."""


@pytest.mark.parametrize(
    ("old", "new", "kinds"),
    [
        ("TileAcc<", "TileAcc<", {"fractals"}),
        ("TileAcc<", "TileAccCompact<", set()),
        ("Acc c(n)", "Acc c(17)", {"fractals"}),
        (", 32, ", ", 16, ", set()),
    ],
    ids=["by its capacity", "by what is valid", "other rows than were multiplied", "one fractal"],
)
def test_a_sum_lies_where_the_matrix_unit_puts_it(old: str, new: str, kinds: set[str], tmp_path: Path) -> None:
    text = LOOSE.replace(old, new)
    found = [finding for finding in check(tmp_path, text) if finding[1] == "fractals"]
    assert {what for _, what, _ in found} == kinds
    assert all(line == line_of(text, "TPUSH<") for _, _, line in found)


def test_flags_between_the_cores_are_followed(tmp_path: Path) -> None:
    """Bare ones, without a fifo: a signal for each wait, or a deadlock."""
    text = (
        HEAD
        + """\
extern "C" __global__ AICORE void handshake(__gm__ float *out)
{
    set_ffts_base_addr(0);
    for (int i = 0; i < 3; ++i) {
#if defined(__DAV_CUBE__)
        ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(0x2, 4));
        wait_flag_dev(5);
#else
        wait_flag_dev(4);
        ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(0x2, 5));
#endif
    }
}
"""
    )
    assert check(tmp_path, text) == []
    crossed = text.replace("getFFTSMsg(0x2, 5)", "getFFTSMsg(0x2, 6)")
    assert [what for _, what, _ in check(tmp_path, crossed)] == ["deadlock"]
