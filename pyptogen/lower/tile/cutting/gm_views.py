"""Values in GM, seen through the views of the program."""

from __future__ import annotations

from pyptogen.lower.refusal import CopyOf, TwoKernels, asked, unsupported
from pyptogen.lower.tensor.ir import Op, Value
from pyptogen.lower.tensor.views import input_part, root, value_views
from pyptogen.lower.tile.cutting.axes import GmView, regrouped
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.loops.between_iterations import values_per_iteration
from pyptogen.records import replace


class GmViews:
    """Finds the views of one kernel."""

    def __init__(self, builder: KernelBuilder) -> None:
        self.builder = builder
        self.program, self.axes = builder.program, builder.axes
        self.defining, self.mine = builder.defining, builder.mine
        self.per_iteration = values_per_iteration(builder.axes)

    def read(self, name: str, reader: Op) -> GmView | None:
        """The GM window behind a value, or None if the value is computed in this kernel.

        Raises:
            Refused: PTG303, what an index names cannot be seen so, or no strides express a reshape.
            Refused: PTG303, this kernel computes the index: it is read from GM, number by number.
        """
        if name in self.builder.gm_views and name not in self.mine:
            return self.builder.gm_views[name]
        base = root(name, self.defining)
        if base in self.mine or base not in self.builder.gm_names:
            return None
        tensor = self.builder.gm_names[base]
        if base in self.defining and self.builder.tensors[tensor].layout == "nz":
            raise unsupported(reader.span, f"what lies in fractals, `{tensor}`", "leave `@ nz` out").helped_by(
                CopyOf(base)
            )
        source = (
            self.defining[base].result
            if base in self.defining
            else next(v for v in self.program.inputs if v.name == base)
        )
        view = replace(self.axes.whole(tensor, source), per_iteration=self.per_iteration.get(base))
        for op in value_views(self.defining, name):
            gathered = op.kind == "gathered"
            found = asked(self.gathered, view, op, reader) if gathered else asked(self.axes.apply, view, op)
            if isinstance(found, GmView):
                view = found
            elif isinstance(found.remedy, TwoKernels):
                raise found.error()
            elif gathered or view.gathers:
                raise found.helped_by(CopyOf(view.gathers[0].name if view.gathers else op.result.name)).error()
            else:
                raise regrouped(found, op).error()
        return view

    def gathered(self, view: GmView, op: Op, reader: Op) -> GmView:
        """The view of what an index names; ``op`` has the index.

        Raises:
            Refused: PTG303, this kernel computes the index: it is read from GM, number by number.
        """
        x, index = op.operands[:2]
        assert isinstance(x, Value) and isinstance(index, Value)
        at, base = self.read(index.name, reader), root(index.name, self.defining)
        if at is None:
            error = unsupported(op.span, "an index that its own kernel computes", "put it into a stage of its own")
            raise error.helped_by(TwoKernels(reader.result.name, base))
        size = self.axes.poly(x.shape[int(op.attrs["axis"])])
        return self.axes.gathered(view, op, at, size, input_part(index.name, self.defining) is not None)

    def strided(self, name: str, reader: Op) -> GmView:
        """The view of a value in GM whose elements lie at distances that are known.

        Raises:
            Refused: PTG303, an index names where they lie, or they lie in fractals; see ``read`` for others.
        """
        view = self.read(name, reader)
        assert view is not None
        if view.gathers:
            error = unsupported(reader.span, f"`{reader.kind}` of what an index names", "copy it first")
            raise error.helped_by(CopyOf(view.gathers[0].name))
        if self.builder.tensors[view.tensor].layout == "nz":
            raise unsupported(reader.span, f"`{reader.kind}` of the packed tensor `{view.tensor}`", "give it as nd")
        return view

    def written(self, value: Value) -> GmView:
        """Where the result of an operation of this kernel lies."""
        if value.name in self.builder.gm_views:
            return self.builder.gm_views[value.name]
        view = self.axes.whole(self.builder.gm_names[value.name], value)
        return replace(view, per_iteration=self.per_iteration.get(value.name))

    def written_strided(self, op: Op) -> GmView:
        """Where the result of an operation of this kernel lies, at distances that are known.

        Raises:
            Refused: PTG303, it is to lie in fractals.
        """
        view = self.written(op.result)
        if self.builder.tensors[view.tensor].layout == "nz":
            error = unsupported(op.span, f"`{view.tensor}` @ nz", "leave `@ nz` out")
            raise error.helped_by(CopyOf(op.result.name))
        return view
