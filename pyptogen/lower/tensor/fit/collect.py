"""What a loop collects is computed in its rounds: only then is there a tile to store.

before: loop: s = carry(…); k_block = block(k)        before = collected(s); t = collected(transpose(k_block))
after:  loop: …; s_copy = copy(s); t_copy = copy(…)   before = collected(s_copy); t = collected(t_copy)
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.fit.fitter import Fitter, Rule
from pyptogen.lower.tensor.ir import Op, Value
from pyptogen.lower.tensor.views import root, value_views


def collected(f: Fitter, op: Op) -> Value:
    """The same of a copy, where the value is a carried one, or a view of something else than a reshape is."""
    value, loop = f.value(op.operands[0]), str(op.attrs["loop"])
    made_by = {other.result.name: other for other in f.ops}
    whole = all(view.kind == "reshape" for view in value_views(made_by, value.name))
    maker = made_by.get(root(value.name, made_by))
    if not whole or maker is None or maker.loop != loop or maker.kind == "carry":
        value = f.emit("copy", [value], value.dtype, value.shape, "copy", loop=loop)
    return f.emit("collected", [value], value.dtype, op.result.shape, attrs=op.attrs)


RULES: Mapping[str, Rule] = {"collected": collected}
