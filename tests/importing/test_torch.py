"""Programs of PyTorch as specs: what the spec computes is what the program computes, and it reads as one."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="pip install 'pyptogen[torch]'")

import pyptogen.torch  # noqa: E402
from pyptogen.diagnostics import DiagnosticError  # noqa: E402
from pyptogen.editor.format_spec import formatted  # noqa: E402
from pyptogen.importing import from_torch  # noqa: E402
from pyptogen.schema.source import Source  # noqa: E402

from . import programs  # noqa: E402

ROUND_TRIPS: dict[str, tuple[str, ...]] = {
    "gated": ("fp32[rows=1..4096, cols=64]", "fp32[cols]"),
    "rms_norm_by_hand": ("x=bf16[rows=1..4096, cols=64]", "gamma=bf16[cols]", "eps=1.0e-5"),
    "norms": ("fp32[rows=1..4096, cols=64]", "fp32[cols]", "fp32[cols]"),
    "mlp": ("fp32[t=1..512, width=64]", "fp32[hidden=96, width]", "fp32[width, hidden]", "fp32[hidden]"),
    "swiglu": ("bf16[t=1..512, width=64]", "bf16[width, both=128]"),
    "attention": ("fp32[batch=2, heads=3, t=1..512, d=32]",) + ("fp32[batch, heads, t, d]",) * 2,
    "grouped_attention": ("fp32[batch=2, heads=4, t=24, d=16]",) + ("fp32[batch, kv=2, t, d]",) * 2,
    "masked_attention": ("fp32[2, 3, t=1..512, d=32]",) + ("fp32[2, 3, s=1..512, d]",) * 2 + ("bool[t, s]",),
    "attention_by_hand": ("fp32[heads=3, sq=1..512, d=32]",) + ("fp32[heads, kv=1..512, d]",) * 2,
    "rope": ("fp32[t=1..512, heads=3, d=32]", "fp32[t, d]", "fp32[t, d]"),
    "routing": ("fp32[t=1..512, experts=32]",),
    "quantise": ("fp32[rows=1..4096, cols=64]",),
    "embed": ("int64[batch=3, length=5]", "fp32[vocabulary=50, width=16]", "fp32[longest=9, width]"),
    "pick": ("fp32[rows=1..4096, cols=64]", "int64[rows, picked=8]"),
    "scatter_sum": ("fp32[rows=12, cols=64]", "int64[rows, n=16]", "fp32[rows, n]"),
    "add_rows": ("fp32[places=12, cols=64]", "int64[n=20]", "fp32[n, cols]"),
    "write_cache": ("fp32[slots=40, cols=64]", "int64[n=7]", "fp32[n, cols]"),
    "statistics": ("fp32[rows=24, cols=64]",),
    "losses": ("fp32[rows=1..4096, classes=64]", "int64[rows]"),
    "log_total": ("fp32[rows=1..4096, cols=64]",),
    "choices": ("fp32[rows=1..4096, cols=64]", "fp32[rows, cols]"),
    "whole_numbers": ("int32[rows=1..4096, cols=64]", "int32[rows, cols]"),
    "activations": ("fp32[rows=1..4096, cols=64]",),
    "shapes": ("fp32[rows=1..4096, cols=64]",),
    "mixed": ("bf16[rows=1..4096, cols=64]", "fp32[rows, 1]", "int32[cols]"),
    "scans": ("fp32[rows=64, cols=64]",),
    "convolved": ("fp32[n=2, c=3, 16, 16]", "fp32[oc=8, c, 3, 3]", "fp32[oc]"),
    "low_rank": ("fp32[t=1..512, width=64]", "fp32[out=32, width]", "fp32[target=8, width]", "fp32[out, target]"),
    "group_norm": ("fp32[n=1..64, c=16, 6, 6]", "fp32[c]", "fp32[c]"),
    "batch_norm": ("fp32[n=1..64, c=16, 6, 6]",) + ("fp32[c]",) * 4,
    "contrastive": ("fp32[b=1..64, d=32]", "fp32[b2=1..64, d]", "fp32[]"),
    "between": ("fp32[rows=1..4096, both=2]", "fp32[rows, both]", "fp32[3]"),
    "turned": ("fp32[n=1..64, rows=8, cols=16]",),
    "ordered": ("fp32[rows=1..4096, cols=64]",),
    "smoothed": ("fp32[n=1..64, classes=100]", "int64[n]"),
    "smoothed_rows": ("fp32[n=1..64, classes=100]", "int64[n]"),
    "grouped_masked": ("fp32[batch=2, heads=4, t=24, d=16]",)
    + ("fp32[batch, kv=2, t, d]",) * 2
    + ("bool[batch, 1, t, t]",),
    "rotated": ("fp32[t=1..512, heads=3, d=32]", "int32[t]", "fp32[half=16]"),
    "turned_as_complex": ("bf16[t=1..512, heads=3, d=32]", "fp32[t, d]", "fp32[t, half=16]"),
    "windows": ("fp32[channels=6, length=32]", "fp32[channels, 4]"),
    "by_token": ("fp32[t=17..512, k=64]", "int8[n=96, k]", "fp32[n]"),
    "next_token_loss": ("fp32[t=3..512, classes=96]", "int64[t]"),
    "labelled": ("fp32[n=1..64, classes=96]", "int64[n]"),
    "elements": ("fp32[rows=12, cols=64]", "int32[n=6]", "int64[n]"),
    "write_blocks": ("bf16[blocks=8, size=16, heads=2, d=32]", "int64[t=1..64]", "int32[t]", "bf16[t, heads, d]"),
    "write_heads": ("fp32[heads=2, slots=40, d=16]", "int64[n=7]", "fp32[heads, n, d]"),
    "last_rows": ("fp32[rows=8, cols=16]",),
    "Filters": ("fp32[n=1..8, 16, 6, 6]",),
    "Encoder": ("fp32[batch=1..8, steps=1..64, width=64]",),
    "Block": ("fp32[t=1..512, width=64]",),
}


def _inputs(operator: Any) -> dict[str, Any]:
    """Numbers of the spec's own case."""
    from pyptogen.torch.tensors import as_tensor

    compiled = operator.operator
    cases = compiled.spec.verify.cases
    given = compiled.example_inputs(**dict(cases[-1] if cases else {}))
    return {name: as_tensor(array) for name, array in given.items()}


@pytest.mark.parametrize("name", ROUND_TRIPS)
def test_an_imported_spec_computes_what_the_program_does(name: str, tmp_path: Path) -> None:
    program = getattr(programs, name)
    text = from_torch(program, ROUND_TRIPS[name])
    assert formatted(Source("a.yaml", text)) == text
    (tmp_path / "a.yaml").write_text(text)
    operator = pyptogen.torch.load(tmp_path / "a.yaml")
    given = _inputs(operator)
    if isinstance(program, type):
        program = program().eval()
        program.load_state_dict({key: given[key.replace(".", "_")] for key in program.state_dict()})
        arguments = [given["x"]]
    else:
        arguments = [given[key] for key in program.__annotations__ if key in given]
    theirs = copy.deepcopy(arguments)
    options = {"eps": 1e-5} if name == "rms_norm_by_hand" else {}
    with torch.no_grad():
        want = program(*theirs, **options)
        made = operator(**given)
    want = list(want.values()) if isinstance(want, dict) else list(want) if isinstance(want, tuple) else [want]
    made = list(made) if isinstance(made, tuple) else [made]
    if name.startswith("write_"):
        want.append(theirs[0])
    assert len(made) == len(want)
    for found, expected in zip(made, want, strict=True):
        assert found.dtype == expected.dtype
        near = 2**-6 if expected.dtype is torch.bfloat16 else 2e-5
        torch.testing.assert_close(found, expected, rtol=near, atol=near)


def test_heads_that_a_reshape_makes_have_names() -> None:
    text = from_torch(programs.Encoder, ROUND_TRIPS["Encoder"])
    assert "num_heads: 4" in text
    assert "[batch, num_heads, steps, head_dim]" in text


def test_an_axis_without_a_name_is_told_with_the_size_to_name(tmp_path: Path) -> None:
    text = from_torch(programs.Encoder, ROUND_TRIPS["Encoder"])
    text = text.replace("  num_heads: 4\n", "").replace("num_heads", "4")
    (tmp_path / "a.yaml").write_text(text)
    with pytest.raises(DiagnosticError) as error:
        pyptogen.compile(tmp_path / "a.yaml", target="cpu")
    (diagnostic,) = error.value.diagnostics
    assert str(diagnostic.code) == "PTG303"
    assert "name 4 in `dims` and write that name in the shapes" in str(diagnostic.fix)


def test_names_are_those_of_the_code() -> None:
    text = from_torch(programs.attention_by_hand, ROUND_TRIPS["attention_by_hand"])
    graph = text.partition("graph:\n")[2].partition("\n\n")[0]
    assert [line.split(":")[0].strip() for line in graph.splitlines()] == ["scores", "p", "y"]
    routing = from_torch(programs.routing, ROUND_TRIPS["routing"])
    assert "  weights:" in routing.partition("outputs:")[2].partition("graph:")[0]
    block = from_torch(programs.Block, ROUND_TRIPS["Block"])
    assert re.search(r"^  hidden: +96$", block, re.MULTILINE)
    assert "up_weight:" in block
    assert "doc: One layer of a decoder without attention." in block


def test_values_assigned_together_have_their_names() -> None:
    graph = from_torch(programs.rotated, ROUND_TRIPS["rotated"]).partition("graph:\n")[2]
    for line in ("cos:    cos(angle)[:, None]", "even:   x[:, :, ::2]", "odd:    x[:, :, 1::2]"):
        assert line in graph


def test_whole_numbers_that_become_angles_are_small() -> None:
    """A sine takes up to 10,000."""
    assert "position: integers(0, 1023)" in from_torch(programs.rotated, ROUND_TRIPS["rotated"])


def test_indices_that_were_cut_and_named_before_are_indices() -> None:
    text = from_torch(programs.next_token_loss, ROUND_TRIPS["next_token_loss"])
    assert "labels: integers(0, classes - 1)" in text


def test_indices_of_what_is_replaced_are_distinct() -> None:
    """Which of two rows at one place comes last is not said."""
    assert "slot: permutation(slots)" in from_torch(programs.write_cache, ROUND_TRIPS["write_cache"])
    assert "slot: permutation(slots)" in from_torch(programs.write_heads, ROUND_TRIPS["write_heads"])
    several = ("fp32[slots=8..64, cols=64]", "int64[n=1..8]", "fp32[n, cols]")
    assert "slot: permutation(slots)" in from_torch(programs.write_cache, several)


def test_indices_are_distinct_only_where_there_are_enough_places() -> None:
    for slots, n in (("7..64", "1..8"), ("40", "1..64"), ("1..64", "1..64")):
        examples = (f"fp32[slots={slots}, cols=64]", f"int64[n={n}]", "fp32[n, cols]")
        assert "slot: integers(0, slots - 1)" in from_torch(programs.write_cache, examples)
    assert "index: integers(0, places - 1)" in from_torch(programs.add_rows, ROUND_TRIPS["add_rows"])


def test_truth_values_of_zeros_and_ones_are_these_again() -> None:
    assert "mask: tril(ones([rows, cols], int32), diagonal=1) != 0\n" in from_torch(
        programs.last_rows, ROUND_TRIPS["last_rows"]
    )


def test_axes_of_images_have_their_names() -> None:
    text = from_torch(programs.Filters, ROUND_TRIPS["Filters"])
    assert "fp32[n, channels, rows, 6]" in text
    assert "fp32[out_channels, channels, taps, 3]" in text  # as the module calls them


def test_one_element_of_each_row_is_gathered() -> None:
    assert "gather(log_softmax(logits, axis=-1), 1, labels[:, None])" in from_torch(
        programs.labelled, ROUND_TRIPS["labelled"]
    )


@pytest.mark.parametrize(("row", "column"), [(0, 64), (1, -1), (12, 0), (-1, 63)])
def test_an_element_beyond_its_row_is_none_of_the_next(row: int, column: int, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(from_torch(programs.elements, ROUND_TRIPS["elements"]))
    operator = pyptogen.torch.load(tmp_path / "a.yaml")
    given = _inputs(operator)
    given["row"][3], given["column"][3] = row, column
    with pytest.raises(DiagnosticError, match="which is no position"):
        operator(**given)


@pytest.mark.parametrize("slot", [40, -1])
def test_a_row_beyond_its_head_is_none_of_the_next(slot: int, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(from_torch(programs.write_heads, ROUND_TRIPS["write_heads"]))
    operator = pyptogen.torch.load(tmp_path / "a.yaml")
    given = _inputs(operator)
    given["slot"][3] = slot
    with pytest.raises(DiagnosticError, match="which is no row"):
        operator(**given)


@pytest.mark.parametrize(
    ("program", "example", "says", "fix"),
    [
        ("turned_outside", "fp32[8, 2]", "a complex result of the program", "view_as_real"),
        ("angles", "fp32[8, 2]", "`angle` of complex numbers", "two parts"),
        ("counted", "int64[8]", "whose size only the data tell", "scatter_add"),
    ],
)
def test_what_has_no_words_is_told_with_another_way(program: str, example: str, says: str, fix: str) -> None:
    with pytest.raises(DiagnosticError) as error:
        from_torch(getattr(programs, program), [example])
    (found,) = error.value.diagnostics
    assert found.code == "PTG802"
    assert says in found.message
    assert fix in found.fix
    assert found.span is not None


def test_complex_numbers_are_two_of_a_last_axis() -> None:
    def turned(x: Any, turn: Any) -> Any:
        return torch.view_as_real(torch.view_as_complex(x) * turn)

    text = from_torch(turned, ["fp32[t=1..9, half=8, 2]", "complex64[t, half]"])
    assert re.search(r"turn: fp32\[t, half, 2\]", text)


def test_a_place_is_no_dim_that_happens_to_be_as_long() -> None:
    assert "pair[2]" in from_torch(programs.between, ROUND_TRIPS["between"])


def test_axes_that_happen_to_be_equally_long_are_not_one_dim() -> None:
    """Eight channels, eight rows and eight columns come out."""
    text = from_torch(programs.convolved, ROUND_TRIPS["convolved"])
    assert "[n, oc, 8, 8]" in text
    assert "[oc, c, 3, 3]" in text


def test_what_is_not_taken_is_listed_with_places() -> None:
    with pytest.raises(DiagnosticError) as error:
        from_torch(programs.strange, ["fp32[8, 8]"])
    found = error.value.diagnostics
    lines = Path(programs.__file__).read_text().splitlines()
    assert {one.code for one in found} == {"PTG802"}
    told = {lines[one.span.line - 1].strip() for one in found if one.span is not None}
    assert told == {"y = torch.fft.fft(x).real", "return torch.linalg.inv(y @ y.T)"}


@pytest.mark.parametrize(
    ("example", "says"),
    [
        ("fp33[4]", "no dtype `fp33`"),
        ("fp32[rows]", "`rows` has no size"),
        ("fp32[1..4]", "has no name"),
        ("y=fp32[4]", "do not fit"),
        ("hello", "neither a tensor nor a number"),
        ("fp32[rows=1..1, 64]", "no size above 1"),
        ("fp32[x=4]", "is a dim and an argument"),
    ],
)
def test_wrong_examples(example: str, says: str) -> None:
    with pytest.raises(DiagnosticError, match=says) as error:
        from_torch(programs.log_total, [example])
    assert error.value.diagnostics[0].code == "PTG803"


def test_a_program_that_depends_on_its_data_is_no_graph() -> None:
    def bent(x: Any) -> Any:
        return x if x.sum() > 0 else -x

    with pytest.raises(DiagnosticError) as error:
        from_torch(bent, ["fp32[8]"])
    found = error.value.diagnostics[0]
    assert found.code == "PTG801"
    assert found.span is not None
    assert found.span.file == __file__


@pytest.mark.parametrize(
    "says", ["for other sizes than `n` from 26 to 40", "for other sizes than `n` from 9", "Not all values of n = "]
)
def test_a_program_that_is_another_one_for_other_sizes(says: str) -> None:
    def bent(x: Any) -> Any:
        if "26" in says:
            return torch.cdist(x, x)
        return -x if (x.shape[0] > 8 if "9" in says else x.shape[0] == 40) else x

    with pytest.raises(DiagnosticError) as error:
        from_torch(bent, ["fp32[n=1..40, d=16]"])
    found = error.value.diagnostics[0]
    assert found.code == "PTG801"
    assert says in found.message
    assert "sizes" in found.fix
    assert found.span is None if "Not all" in says else found.span is not None and found.span.file == __file__


def test_two_inputs_name_distinct_places_where_there_are_enough() -> None:
    cache, block, *others = ROUND_TRIPS["write_blocks"]
    text = from_torch(programs.write_blocks, (cache, block, *others))
    assert "block: coordinate(0, blocks, size)\n    offset: coordinate(1, blocks, size)\n" in text
    text = from_torch(programs.write_blocks, (cache, "int64[t=1..129]", *others))  # of 8 blocks of 16
    assert "block: integers(0, blocks - 1)\n    offset: integers(0, size - 1)\n" in text
