"""`backward:`: the operator that computes the gradients of a spec's inputs. The two meet by the names of tensors."""

from __future__ import annotations

from pathlib import Path

from pyptogen.diagnostics import Span, fault
from pyptogen.schema.contract import TensorSpec
from pyptogen.schema.loader import load_spec
from pyptogen.schema.spec import Spec

GRADIENT = "d_"
"""What the name of a gradient begins with: ``d_y`` is that of ``y``."""
_SUFFIXES = (".yaml", ".yml", ".toml")


def load_backward(spec: Spec) -> Spec | None:
    """The spec of the operator that ``backward:`` names, None where a spec has no such key.

    Its file lies beside the spec; that of a generated folder in the generated folder of that operator. Raises
    ``DiagnosticError``: PTG110 where there is none, PTG250 where it does not fit, and the faults of the file itself.
    """
    if spec.backward is None:
        return None
    name, span = spec.backward
    backward = load_spec(_path(Path(spec.path), name, span))
    _check_fit(spec, backward, span)
    return backward


def has_backward(spec: Spec) -> bool:
    """Whether the operator that ``backward:`` names lies beside the spec. A spec that was copied alone has none, and
    everything but gradients works."""
    return spec.backward is not None and _found(Path(spec.path), spec.backward[0]) is not None


def _found(spec: Path, name: str) -> Path | None:
    beside = [spec.parent / f"{name}{suffix}" for suffix in _SUFFIXES]
    built = [spec.parent.parent / name / path.name for path in beside]
    return next((path for path in (*beside, *built) if path.is_file()), None)


def _path(spec: Path, name: str, span: Span) -> Path:
    found = _found(spec, name)
    if found is None:
        message = f"there is no operator `{name}` beside this spec"
        raise fault("PTG110", message, span, expected=f"`{name}.yaml` in the same folder")
    return found


def _check_fit(spec: Spec, backward: Spec, span: Span) -> None:
    """Raises PTG250 for an input that a forward call does not have, and for a gradient of something else."""
    inputs = {tensor.name: tensor for tensor in spec.inputs}
    known = inputs | {tensor.name: tensor for tensor in spec.outputs}
    grown = {f"{GRADIENT}{tensor.name}": tensor for tensor in spec.outputs}
    for tensor in backward.inputs:
        _check_tensor(tensor, known | grown, "an input, an output, or `d_` and the name of an output", span)
    for tensor in backward.outputs:
        if tensor.inplace is not None:
            raise fault("PTG250", f"`{tensor.name}` of `{backward.name}` is in place", span, expected="a new tensor")
        _check_tensor(tensor, {f"{GRADIENT}{name}": one for name, one in inputs.items()}, "`d_` and an input", span)
    updated = [tensor for tensor in spec.outputs if tensor.inplace is not None]
    if updated:
        message = f"`{spec.name}` updates `{updated[0].inplace}` in place, so there is no gradient"
        raise fault("PTG250", message, span, expected="outputs that are new tensors")
    attrs = {attr.name: attr.dtype for attr in spec.attrs}
    for attr in backward.attrs:
        if attrs.get(attr.name) != attr.dtype:
            message = f"`{backward.name}` has the attr `{attr.name}`, of which a call of `{spec.name}` knows nothing"
            raise fault("PTG250", message, span, expected="attrs of the forward operator", notes=(("here", attr.span),))


def _check_tensor(tensor: TensorSpec, known: dict[str, TensorSpec], what: str, span: Span) -> None:
    other = known.get(tensor.name)
    notes = (("in the backward operator", tensor.span),)
    if other is None:
        raise fault("PTG250", f"`{tensor.name}` is unknown to the forward operator", span, expected=what, notes=notes)
    if tensor.dtype != other.dtype or len(tensor.shape) != len(other.shape):
        raise fault(
            "PTG250",
            f"`{tensor.name}` is {tensor.dtype} with {len(tensor.shape)} axes",
            span,
            expected=f"{other.dtype} with {len(other.shape)} axes, as `{other.name}`",
            notes=notes,
        )
