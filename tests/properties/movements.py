"""Definitions of random specs that move elements: views, orders, indices; and matrix products."""

from __future__ import annotations

from hypothesis import strategies as st

from properties.definitions import calm, is_number
from properties.draft import FLOATS, Draft, Known


def view(d: Draft) -> bool:
    """Permutations, new axes, merged and divided axes."""
    x = d.pick()
    if x is None:
        return False
    rank = len(x.shape)
    kind = d.any("permute", "transpose", "unsqueeze", "divide", "merge", "expand")
    if kind == "permute" and rank > 2:
        order = d.draw(_permutations(rank))
        _same(d, x, f"permute({x.name}, {list(order)})", tuple(x.shape[i] for i in order))
    elif kind in ("permute", "transpose") and rank > 1:
        text = f"{x.name}.T" if rank == 2 else f"transpose({x.name})"
        _same(d, x, text, (*x.shape[:-2], x.shape[-1], x.shape[-2]))
    elif kind == "unsqueeze" and rank < 3:
        axis = d.number(0, rank)
        _same(d, x, f"unsqueeze({x.name}, {axis})", (*x.shape[:axis], "1", *x.shape[axis:]))
    elif kind == "divide" and rank < 3 and d.fixed(x.shape[-1]):
        size = d.extent(x.shape[-1])
        part = d.any(*(n for n in range(1, size + 1) if size % n == 0))
        shape = (*x.shape[:-1], d.dim(size // part), d.dim(part))
        _same(d, x, f"reshape({x.name}, [{', '.join(shape)}])", shape)
    elif kind == "merge" and rank > 2 and d.fixed(x.shape[-1]) and d.fixed(x.shape[-2]):
        shape = (*x.shape[:-2], d.dim(d.extent(x.shape[-1]) * d.extent(x.shape[-2])))
        _same(d, x, f"reshape({x.name}, [{', '.join(shape)}])", shape)
    elif kind == "expand" and "1" in x.shape:
        shape = tuple(d.dim(d.length(40)) if dim == "1" else dim for dim in x.shape)
        _same(d, x, f"expand_clone({x.name}, [{', '.join(shape)}])", shape)
    else:
        return False
    return True


def _permutations(rank: int) -> st.SearchStrategy[list[int]]:
    return st.permutations(range(rank)).filter(lambda order: list(order) != sorted(order))


def _same(d: Draft, x: Known, text: str, shape: tuple[str, ...]) -> None:
    d.emit(text, x.dtype, shape, size=x.size, positive=x.positive)


def window(d: Draft) -> bool:
    """Slices, concats, padding, interleaving along static axes."""
    x = d.pick(lambda k: is_number(k) and any(d.fixed(dim) for dim in k.shape))
    if x is None:
        return False
    axis = d.any(*(i for i, dim in enumerate(x.shape) if d.fixed(dim)))
    size, last = d.extent(x.shape[axis]), axis == len(x.shape) - 1
    kind = d.any("slice", "slice", "concat", "pad", "deinterleave", "interleave")
    if kind == "slice" and size > 1:
        start = d.number(0, size - 1)
        stop = d.number(start + 1, size)
        shape = (*x.shape[:axis], d.dim(stop - start), *x.shape[axis + 1 :])
        _same(d, x, f"{x.name}[{':, ' * axis}{start}:{stop}]", shape)
    elif kind == "concat":
        other = d.pick(lambda k: k.dtype == x.dtype and _alike(k.shape, x.shape, axis) and d.fixed(k.shape[axis]))
        if other is None or d.any(True, False):
            other = d.fresh(x.dtype, (*x.shape[:axis], d.dim(d.length(40)), *x.shape[axis + 1 :]))
        total = d.dim(size + d.extent(other.shape[axis]))
        shape = (*x.shape[:axis], total, *x.shape[axis + 1 :])
        d.emit(f"concat({x.name}, {other.name}, axis={axis})", x.dtype, shape, size=max(x.size, other.size))
    elif kind == "pad" and last:
        before, after = d.number(0, 9), d.number(1, 9)
        shape = (*x.shape[:-1], d.dim(size + before + after))
        d.emit(f"pad({x.name}, [{before}, {after}])", x.dtype, shape, size=x.size)
    elif kind == "deinterleave" and last and size % 2 == 0:
        half = (*x.shape[:-1], d.dim(size // 2))
        d.emit_pair(f"deinterleave({x.name})", ((x.dtype, half, x.size), (x.dtype, half, x.size)))
    elif kind == "interleave" and last:
        _same(d, x, f"interleave({x.name}, {x.name})", (*x.shape[:-1], d.dim(2 * size)))
    else:
        return False
    return True


def _alike(a: tuple[str, ...], b: tuple[str, ...], axis: int) -> bool:
    """Equal but for one axis."""
    return len(a) == len(b) and all(p == q for i, (p, q) in enumerate(zip(a, b, strict=True)) if i != axis)


def index(d: Draft) -> bool:
    """Gathers and scatters by indices that are inputs."""
    x = d.pick(lambda k: is_number(k) and len(k.shape) < 3)
    if x is None:
        return False
    axis = d.number(0, len(x.shape) - 1)
    count = d.any(d.dim(d.length(60)), *(name for name in d.dynamic if name not in x.shape))
    within = f'"integers(0, {x.shape[axis]} - 1)"'
    kind = d.any("gather", "index_select", "scatter", "index_add", "scatter_update", "one_hot")
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    dtype = d.any("int32", "int32", "int64")
    if kind == "one_hot":
        places = d.fresh("int32", x.shape[:1], '"integers(0, 6)"')
        d.emit(f"one_hot({places.name}, 7)", "int32", (*places.shape, d.dim(7)))
    elif kind == "gather":
        places = d.fresh(dtype, shape, within)
        d.emit(f"gather({x.name}, {axis}, {places.name})", x.dtype, shape, size=x.size)
    elif kind == "index_select":
        places = d.fresh(dtype, (count,), within)
        d.emit(f"index_select({x.name}, {axis}, {places.name})", x.dtype, shape, size=x.size)
    elif kind == "scatter_update":
        if len(x.shape) < 2:
            return False
        kept = d.fresh(x.dtype, x.shape)  # nothing else reads what is updated
        d.known.remove(kept)
        places = d.fresh(dtype, x.shape[:1], f'"skip(permutation({x.shape[0]}), -1, 0.2)"')  # one row twice: a race
        source = d.fresh(x.dtype, x.shape)
        d.emit(f"scatter_update({kept.name}, {places.name}, {source.name}, dim=0)", x.dtype, x.shape)
        d.ended.append(d.known.pop())
    elif kind == "index_add":
        places, source = d.fresh(dtype, (count,), within), d.fresh(x.dtype, shape)
        d.emit(f"index_add({x.name}, {axis}, {places.name}, {source.name})", x.dtype, x.shape, size=4 * x.size)
    else:
        places, source = d.fresh(dtype, shape, within), d.fresh(x.dtype, shape)
        how = d.any("", ", reduce=add")
        d.emit(f"scatter({x.name}, {axis}, {places.name}, {source.name}{how})", x.dtype, x.shape, size=4 * x.size)
    return True


def order(d: Draft) -> bool:
    """topk, sort, argsort along a static last axis, of what fp32 holds."""
    x = d.pick(lambda k: is_number(k) and k.dtype != "int32" and len(k.shape) > 1 and d.fixed(k.shape[-1]))
    if x is None:
        return False
    size = d.extent(x.shape[-1])
    way = d.any("true", "false")
    kind = d.any("topk", "sort", "argsort")
    if kind == "argsort":
        d.emit(f"argsort({x.name}, descending={way})", "int32", x.shape, size=float(size))
        return True
    count = d.number(1, size) if kind == "topk" else size
    shape = (*x.shape[:-1], d.dim(count))
    text = f"topk({x.name}, {count}, largest={way})" if kind == "topk" else f"sort({x.name}, descending={way})"
    d.emit_pair(text, ((x.dtype, shape, x.size), ("int32", shape, float(size))))
    return True


def product(d: Draft) -> bool:
    """A matrix product: with a weight, transposed or not, square or not, or with one for each leading index; or of a
    matrix with itself, transposed."""
    x = d.pick(lambda k: len(k.shape) > 1 and k.dtype in (*FLOATS, "int8"))
    if x is None:
        return False
    depth, run_time = x.shape[-1], [name for name in d.dynamic if name not in x.shape]
    if len(x.shape) == 2 and d.any(True, False, False):
        left, right, columns = d.any((x.name, f"{x.name}.T", x.shape[0]), (f"{x.name}.T", x.name, depth))
        depth = x.shape[-1] if columns == x.shape[0] else x.shape[0]
        _multiplied(d, x, left, right, (columns, columns), depth)
        return True
    columns = d.any(d.dim(d.length()), d.dim(d.length()), depth, *run_time)
    leading = x.shape[:-2] if len(x.shape) > 2 and all(map(d.fixed, x.shape[:-2])) and d.any(True, False) else ()
    turned = d.any(False, False, True)
    weight = d.fresh(x.dtype, (*leading, *((columns, depth) if turned else (depth, columns))))
    right = (f"{weight.name}.T" if not leading else f"transpose({weight.name})") if turned else weight.name
    _multiplied(d, x, x.name, right, (*x.shape[:-1], columns), depth)
    return True


def _multiplied(d: Draft, x: Known, left: str, right: str, shape: tuple[str, ...], depth: str) -> None:
    """The product of two matrices like ``x``, and what brings it near 1 again."""
    length = d.extent(depth)
    if x.dtype == "int8":
        d.emit(f"matmul({left}, {right})", "int32", shape, size=max(9.0, x.size) * x.size * length)
        whole = d.known[-1]
        if d.any(True, True, False):
            scale = d.fresh("fp32", shape[-1:])
            d.emit(f"dequant({whole.name}, {scale.name}) * {4 / whole.size:.8f}", "fp32", shape, size=4.0)
        return
    wide = d.any("fp32", x.dtype)
    d.emit(f"matmul({left}, {right}, dtype={wide})", wide, shape, size=max(1.0, x.size) * x.size * length**0.5)
    made = d.known[-1]
    if d.any(True, False):
        calm(d, f"{made.name} * {1 / made.size:.5f}", made, 2.0)
