"""Compiled operators as custom operators of torch."""

from __future__ import annotations

import hashlib
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.runtime.native.binding import RunError, WrongIndexError, run_error, shared_chip
from pyptogen.runtime.operator.compiled import CompiledOperator
from pyptogen.runtime.operator.indices import wrong_index
from pyptogen.runtime.operator.loading import compile
from pyptogen.schema.backward import load_backward
from pyptogen.torch.gradient import Gradient
from pyptogen.torch.meta import Meta
from pyptogen.torch.native import Kernels
from pyptogen.torch.packing import pack_operands
from pyptogen.torch.tensors import as_tensor, torch_dtype

if TYPE_CHECKING:
    from pyptogen.schema.spec import Spec

NAMESPACE = "pyptogen"
_FAILED = "pyptogen: "
"""What the kernels in C++ begin the message of a run with that failed."""
_LIBRARY = torch.library.Library(NAMESPACE, "FRAGMENT")
_registered: dict[str, TorchOperator] = {}
"""By the name in torch. What is registered there stays for the life of the process."""


def load(
    spec: str | Path | Spec | CompiledOperator,
    target: str = "cpu",
    *,
    threads: int | None = None,
    portable: bool = False,
) -> TorchOperator:
    """A spec, or what ``pyptogen.compile`` made of one, as an operator for tensors on the CPU.

    ``target``, ``threads`` and ``portable`` are those of ``pyptogen.compile``; a compiled operator has its own. The
    same operator is registered once, however often it is loaded. Raises what ``pyptogen.compile`` raises, and
    PTG250 for a ``backward:`` that does not fit.
    """
    if not isinstance(spec, CompiledOperator):
        spec = compile(spec, target, threads=threads, portable=portable, interpret=False)
    spec.require_native("PyTorch")
    name = _name(spec)
    if name not in _registered:
        _registered[name] = TorchOperator(spec, name)
    return _registered[name]


def _name(operator: CompiledOperator) -> str:
    """The operator's own name, or, where another one of this name is registered, one with a digest of what it is made
    of."""
    own = operator.contract.name
    holder = _registered.get(own)
    if holder is None or _identity(holder.operator) == _identity(operator):
        return own
    return f"{own}_{hashlib.sha256(repr(_identity(operator)).encode()).hexdigest()[:8]}"


def _identity(operator: CompiledOperator) -> tuple[str, int]:
    """What makes two operators the same: the name of a shared object has the digest of its sources and flags."""
    return operator.library.name, operator.threads


class TorchOperator:
    """An operator of tensors. Call it with the inputs and attrs by position, in the order of the contract, or by name.

    A lone output is returned bare, several as a named tuple; an output that is declared in place is the tensor that was
    given for its input. ``operator`` is the compiled operator, ``op`` what ``torch.ops`` has of it.
    """

    def __init__(self, operator: CompiledOperator, name: str) -> None:
        contract = operator.contract
        self.operator = operator
        self.name = f"{NAMESPACE}::{name}"
        self.parameters = (*(t.name for t in contract.inputs), *(a.name for a in contract.attrs))
        self._dtypes = {tensor.name: torch_dtype(tensor.dtype) for tensor in contract.inputs}
        self._updated = sorted({self.parameters.index(source) for source in contract.inplace.values()})
        self._fresh = [t.name for t in contract.outputs if t.name not in contract.inplace]
        self._bare = len(contract.outputs) == 1 and len(self._fresh) == 1
        self._results: Any = namedtuple(operator.results.__name__, [t.name for t in contract.outputs])  # type: ignore[misc]
        self._in_order = self._ordering()
        self._meta = Meta(contract, operator.target)
        load_backward(operator.spec)  # what is wrong with it is told now
        for form in ("", "_checked", "_recorded"):
            _LIBRARY.define(f"{name}{form}{self._schema()}", tags=(torch.Tag.pt2_compliant_tag,))
        _LIBRARY.impl(f"{name}_checked", self._run, "CPU")
        _LIBRARY.impl(f"{name}_checked", torch.library.fallthrough_kernel, "Autograd")
        _LIBRARY.impl(f"{name}_recorded", Gradient(self, self._load_backward).recorded, "CompositeImplicitAutograd")
        torch.library.register_fake(self.name, self._fake, lib=_LIBRARY)
        self.op = getattr(getattr(torch.ops, NAMESPACE), name).default
        self._kernels = Kernels(name, operator.rules, operator.entry, operator.threads, operator.target)
        if not self._kernels.fast:
            _LIBRARY.impl(name, self._run, "CPU")
        self._direct = self._kernels.direct(None if len(contract.outputs) == 1 else self._results)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the operator. Raises ``DiagnosticError`` (PTG401 to PTG408, PTG412) before anything is written, PTG408
        also afterwards for an index that a kernel computed, and ``RunError`` when a kernel fails."""
        try:
            if not torch.compiler.is_dynamo_compiling():
                results = self._direct(*args, **kwargs)
                if results is not None:
                    return results
            made = self.op(*args, **kwargs)
        except (RuntimeError, TypeError) as error:
            self._explain(args, kwargs)
            if str(error).startswith(_FAILED):
                raise self._failed(str(error).removeprefix(_FAILED).partition("\n")[0], args, kwargs) from None
            raise error
        if self._bare:
            return made
        return self._gathered(made, args, kwargs)

    def pack(self, **operands: Any) -> Any:
        """Operands as kernels read them, made once and given to many calls in place of the plain ones.

        A weight `@ nz` becomes a tensor of one axis and its own dtype, whose last 128 bytes say what it is; `@ dn` one
        whose columns lie one after the other; `int4`, `fp4_e2m1` and `hif8`, also given as numbers that they have,
        bytes. A lone operand is returned bare, several as a tuple in the order given. Raises PTG402, PTG403, PTG404,
        PTG407 for one that is updated in place, PTG412 for one that requires a gradient.
        """
        return pack_operands(self.operator.contract, self._dtypes, operands, self.operator.target)

    def input_shapes(self, inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], ...]:
        """The sizes of all inputs as plain tensors, from sizes alone: data may be missing."""
        return self._meta.input_shapes(inputs)

    def _failed(self, said: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> RunError | DiagnosticError:
        """The error of a call that failed in the kernels in C++."""
        error = run_error(said)
        if not isinstance(error, WrongIndexError):
            return error
        rules, given = self.operator.rules, dict(zip(self.parameters, args, strict=False)) | kwargs
        dims = rules.contract.bind(self.operator.arrays({t.name: given[t.name] for t in rules.contract.inputs}))
        return wrong_index(error, rules.indices, (*dims.values(),), rules.contract.name)

    @property
    def last_run(self) -> float:
        """Seconds that the last call spent in native code: that which ended last, where several threads call."""
        return self._kernels.seconds

    def _gathered(self, made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """All outputs in the order of the contract."""
        if kwargs:
            args += tuple(kwargs.get(name) for name in self.parameters[len(args) :])
        return self._in_order(made, args)

    def _ordering(self) -> Callable[[Any, tuple[Any, ...]], Any]:
        """A function of the new outputs and the arguments that gives all outputs in the order of the contract. It is
        written out: that costs least, and torch.compile reads it."""
        inplace, several = self.operator.contract.inplace, len(self._fresh) > 1
        parts = [
            f"args[{self.parameters.index(inplace[tensor.name])}]"
            if tensor.name in inplace
            else f"made[{self._fresh.index(tensor.name)}]"
            if several
            else "made"
            for tensor in self.operator.contract.outputs
        ]
        given = "*made" if several and not inplace else ", ".join(parts)
        text = parts[0] if len(parts) == 1 else f"results({given})"
        ordering: Callable[[Any, tuple[Any, ...]], Any] = eval(f"lambda made, args: {text}", {"results": self._results})
        return ordering

    def _load_backward(self) -> TorchOperator | None:
        spec = load_backward(self.operator.spec)
        return None if spec is None else load(spec, self.operator.target, threads=self.operator.threads)

    def _schema(self) -> str:
        contract = self.operator.contract
        updated = {source: chr(ord("a") + i) for i, source in enumerate(dict.fromkeys(contract.inplace.values()))}
        parameters = [
            f"Tensor({updated[t.name]}!) {t.name}" if t.name in updated else f"Tensor {t.name}" for t in contract.inputs
        ]
        for attr in contract.attrs:
            default = "" if attr.default is None else f"={attr.default!r}"
            parameters.append(f"{'float' if attr.is_float else 'SymInt'} {attr.name}{default}")
        returned = ", ".join("Tensor" for _ in self._fresh)
        return f"({', '.join(parameters)}) -> {returned if len(self._fresh) == 1 else f'({returned})'}"

    def _run(self, *args: Any) -> Any:
        """The operator on tensors with data."""
        call = self.operator.bind(dict(zip(self.parameters, args, strict=False)))
        report = call.run(shared_chip(self.operator.threads))
        self._kernels.after(call.dims, report.seconds)
        results = call.results
        for place in self._updated:
            torch.autograd.graph.increment_version(args[place])
        made = tuple(as_tensor(getattr(results, name)) for name in self._fresh)
        return made[0] if len(made) == 1 else made if made else None

    def _fake(self, *args: Any) -> Any:
        """The operator on tensors without data."""
        made = self._meta.outputs(args[: len(self.operator.contract.inputs)])
        return made[0] if len(made) == 1 else tuple(made) if made else None

    def _explain(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raises ``DiagnosticError`` for arguments that are not those of the contract."""
        contract = self.operator.contract
        if len(args) > len(self.parameters):
            raise fault(
                "PTG404",
                f"`{contract.name}` takes {len(self.parameters)} arguments, {len(args)} were given",
                contract.span,
                expected=", ".join(self.parameters),
            )
        given = dict(zip(self.parameters, args, strict=False))
        twice = sorted(given.keys() & kwargs.keys())
        if twice:
            raise fault("PTG404", f"argument `{twice[0]}` is given twice", contract.span, fix="give it once")
        given |= kwargs
        attrs = {attr.name for attr in contract.attrs}
        contract.check_names({name: value for name, value in given.items() if name not in attrs})
        for tensor in contract.inputs:
            if not isinstance(given[tensor.name], torch.Tensor):
                raise fault(
                    "PTG403",
                    f"argument `{tensor.name}` is a {type(given[tensor.name]).__name__}",
                    tensor.span,
                    expected=f"a tensor: {tensor.type}",
                )
            if given[tensor.name].device.type not in ("cpu", "meta"):
                message = f"argument `{tensor.name}` is on {given[tensor.name].device}"
                raise fault("PTG403", message, tensor.span, expected="a tensor on the CPU")
        contract.bind_attrs(given)

    def __copy__(self) -> TorchOperator:
        return self

    def __deepcopy__(self, memo: Any) -> TorchOperator:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return load, (self.operator,)

    def __repr__(self) -> str:
        return f"<{self.name} by {self.operator!r}>"
