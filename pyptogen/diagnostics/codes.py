"""The registry of diagnostic codes. A code keeps its number and meaning for ever.

1xx syntax and form of a spec, 2xx names, shapes and types, 3xx tiling, memory and lowering, 4xx run time, 5xx
toolchain, 6xx changes of a contract, 7xx packages for devices, 8xx imports.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding: its number, a title, and a paragraph that explains it to somebody who has just met
    it."""

    code: str
    title: str
    explanation: str


_SYNTAX = (
    Code(
        "PTG101",
        "syntax error",
        "The file is not well-formed YAML or TOML, or holds control characters, so nothing in it was read.",
    ),
    Code(
        "PTG102",
        "duplicate key",
        "A key stands twice in one mapping. YAML readers often keep the last one silently; a spec may "
        "not be ambiguous.",
    ),
    Code(
        "PTG103",
        "unknown key",
        "A mapping has a key that means nothing there; most often it is a slip of spelling.",
    ),
    Code(
        "PTG104",
        "wrong kind of value",
        "A value has another kind (mapping, list, text, number) or range than its place asks for.",
    ),
    Code("PTG105", "missing key", "A mapping lacks a key that it must have."),
    Code(
        "PTG106",
        "expression syntax",
        "An expression is not well-formed. Expressions follow Python's expression grammar and are never executed.",
    ),
    Code(
        "PTG107",
        "expression cut at a comma",
        "Inside `{…}` and `[…]` YAML itself ends a plain value at each comma, so an expression with "
        "commas arrives in "
        "pieces. Write the entry on a line of its own, or quote the expression.",
    ),
    Code(
        "PTG108",
        "construct not allowed in an expression",
        "The expression uses a part of Python's grammar that has no meaning in a spec, such as a lambda, "
        "a comprehension "
        "or an attribute other than `.T`.",
    ),
    Code(
        "PTG109",
        "not supported yet",
        "The language page describes this construct, and this version of the tool does not implement it.",
    ),
    Code(
        "PTG110",
        "file cannot be read",
        "The file does not exist, is not a regular file of at most 4 MiB, is not UTF-8 text, has a name with "
        "characters that cannot be shown, or changes each time that it is read.",
    ),
    Code(
        "PTG111",
        "YAML feature outside the spec language",
        "Specs are plain data: tags, recursive aliases and several documents in one file are not part of the language.",
    ),
    Code(
        "PTG112",
        "unknown format version",
        "`pyptogen: 1` is the only version of the spec language that this tool reads.",
    ),
    Code(
        "PTG113",
        "bad path of a further file",
        "A spec may name other files (`include`, `tiling: {file: …}`) only in its own folder or below it, by relative "
        "paths, and not by the name of a file that the build writes.",
    ),
    Code(
        "PTG114",
        "too much for one operator",
        "A spec describes a few kernels. There are bounds on how many dims, values and calls one may have, far beyond "
        "any operator, so that every file is answered in seconds.",
    ),
    Code(
        "PTG120",
        "not in the one form",
        "`pyptogen fmt` would write this spec otherwise: indentation, blanks, columns of values and comments. What it "
        "means stays the same.",
    ),
    Code(
        "PTG121",
        "name that cannot be changed here",
        "A rename changes one file. What another file defines, or what specs that include a file use, is changed by "
        "hand in all of them.",
    ),
)

_NAMES = (
    Code("PTG201", "unknown name", "An expression names a value, dim or attr that is not defined."),
    Code("PTG202", "unknown operation", "An expression calls an operation or function that does not exist."),
    Code(
        "PTG203",
        "wrong arguments",
        "A call lacks an argument, has one too many or twice, or names one that the operation does not have.",
    ),
    Code(
        "PTG204",
        "wrong rank or axis",
        "A tensor has more or fewer axes than its use asks for, or an axis is out of range.",
    ),
    Code(
        "PTG205",
        "shape mismatch",
        "Two shapes that must agree are different, or nothing says that they are equal: neither the definitions of "
        "their dims nor `requires`. Both are shown symbolically.",
    ),
    Code(
        "PTG206",
        "dtype mismatch",
        "Element types do not fit. Nothing is converted silently: rounding is part of the contract, so write the cast.",
    ),
    Code("PTG207", "output never defined", "The contract promises an output that the graph does not compute."),
    Code("PTG208", "defined twice", "A name is given a meaning twice. Values are defined once."),
    Code("PTG209", "cycle", "A value, dim or function depends on itself, or a file includes itself."),
    Code(
        "PTG210",
        "dim never bound",
        "A dynamic dim gets its value from the shapes of the input arrays, and no input's shape determines this one.",
    ),
    Code(
        "PTG211",
        "used before its definition",
        "Values are defined in order; this one is defined further down.",
    ),
    Code("PTG212", "unknown dtype or layout", "A tensor type names a dtype or layout that does not exist."),
    Code("PTG213", "bad name", "A name is not a lower-case identifier, or is reserved."),
    Code("PTG214", "bad dim", "The definition of a dim gives no positive integer, or an empty range."),
    Code("PTG215", "bad argument value", "An argument's value is not among those that the operation knows."),
    Code("PTG216", "number of values", "A definition names more or fewer values than its expression gives."),
    Code(
        "PTG217",
        "unknown name in a table",
        "A tiling or schedule entry names a stage or dim that the operator does not have.",
    ),
    Code("PTG218", "unknown target", "A target is named that this tool does not know."),
    Code(
        "PTG219",
        "requirement cannot hold",
        "A precondition in `requires` is false for every value of the dims.",
    ),
    Code(
        "PTG220",
        "not a tensor",
        "A tensor is needed and a number, dtype or list was given, or the other way round.",
    ),
    Code(
        "PTG221",
        "stage not decided at build time",
        "`when` of a stage is decided when the operator is built, from the values and ranges of dims alone.",
    ),
    Code(
        "PTG222",
        "value not always there",
        "A stage with `if` runs in some calls only. What it defines can be used where the same condition holds, or "
        "where other stages define it for all other cases.",
    ),
    Code(
        "PTG230",
        "carry, next or collect do not fit",
        "A loop starts its carried values under `carry` and gives each of them once under `next`, with the same type: "
        "a value cannot change its dtype or shape from iteration to iteration, nor have the size of a block. What "
        "`collect` puts together is another value in every iteration and has one axis of the block's size (in a loop "
        "with `tile: 1` it may have none).",
    ),
    Code(
        "PTG231",
        "no block here",
        "Inside a loop over a dim, `x[dim]` is this iteration's block of the axis of `x` that has that size.",
    ),
    Code(
        "PTG240",
        "no case can tell",
        "A warning of `pyptogen check`: there is a kind of fault that no case of `verify` would show. With one row "
        "there is no other to mistake it for, with whole tiles alone no tail, and of equal numbers it does not matter "
        "which are read.",
    ),
    Code(
        "PTG241",
        "tolerance beyond the cap",
        "A warning of `pyptogen check`: a tolerance of the spec is more than what is derived for any operator, and is "
        "cut there. A `reason` beside it lifts the cap: say why results that far off are right.",
    ),
    Code(
        "PTG250",
        "backward operator does not fit",
        "The operator that `backward:` names takes what a call of the forward operator has (its inputs, its outputs, "
        "`d_y` for each output `y`, its attrs), and gives `d_x` for inputs `x`, with the types of those tensors.",
    ),
)

_LOWERING = (
    Code(
        "PTG301",
        "tile overflows a memory",
        "The buffers that a stage needs at once do not fit the memory of the core that runs it, with the sizes given.",
    ),
    Code(
        "PTG302",
        "tile breaks an alignment",
        "The platform moves data in aligned pieces, and a tile with this size would start or end inside one.",
    ),
    Code(
        "PTG303",
        "unsupported by the platform",
        "The platform has no instruction for this operation, dtype or layout, or the lowering for it "
        "does not exist yet.",
    ),
    Code(
        "PTG304",
        "illegal tile size",
        "A size in the tiling table cannot be used for this stage and dim, or a window of a kernel by hand is not one "
        "of fixed size inside its tensor, or an instruction by hand writes over what it still reads.",
    ),
    Code(
        "PTG305",
        "synchronisation not in order",
        "Flags and barriers that were placed by hand leave two accesses to the same bytes without an order, or a flag "
        "is set twice, waited for without being set, or left over. The kernel was replayed for loops of 0 to 3 steps.",
    ),
    Code(
        "PTG306",
        "C++ that the sanitizer does not follow",
        "`pyptogen sanitize` reads kernels of straightforward form: tile and GlobalTensor declarations, TASSIGN, "
        "instructions, flags, loops, conditions, functions, templates, structs, lambdas. Anything else in a kernel is "
        "named with its line, and the kernel is not judged.",
    ),
)

_RUN_TIME = (
    Code(
        "PTG401",
        "dim out of range",
        "The arrays give a dynamic dim a value outside the range that the spec allows.",
    ),
    Code("PTG402", "wrong array shape", "An array's shape differs from what the contract says."),
    Code("PTG403", "wrong array dtype", "An array's element type differs from what the contract says."),
    Code(
        "PTG404",
        "missing or unknown argument",
        "A call lacks an argument of the contract or has one that it does not know.",
    ),
    Code("PTG405", "inconsistent shapes", "Two arrays give one dim different values."),
    Code(
        "PTG406",
        "requirement not met",
        "A precondition in `requires` is false for these arguments, or a size that follows from others is out of the "
        "range of its dim.",
    ),
    Code(
        "PTG407",
        "memory overlap",
        "An array that is written shares memory with another argument, or is not writable.",
    ),
    Code(
        "PTG408",
        "index out of range",
        "An index, given or computed, points outside the axis that it indexes, and is not the -1 that skips. One that "
        "a kernel computes is told when the call is over; what the call writes is then undefined.",
    ),
    Code(
        "PTG409",
        "the author's golden is at fault",
        "The Python function that `verify: {golden: …}` names raised an error, or gave no array of the right shape for "
        "an output.",
    ),
    Code(
        "PTG410",
        "case failed",
        "`pyptogen test` found results of a case further from the golden than is allowed, or the kernels did not end. "
        "`pyptogen run` with its sizes shows how far every output is off.",
    ),
    Code(
        "PTG411",
        "code from outside of the project",
        "The `golden` of a spec is Python, and a kernel of level `source` is C++; `run` and `test` execute both. Where "
        "the spec lies outside of the project (the nearest folder with a `pyptogen.toml` or a `.git`), somebody must "
        "say that they may: by `--allow-code`, or by naming the folder in `pyptogen.toml`.",
    ),
    Code(
        "PTG412",
        "no gradient",
        "A tensor that requires a gradient was given to an operator whose spec names no `backward:` operator, or one "
        "that has no gradient for this input. Nothing is detached silently.",
    ),
)

_TOOLCHAIN = (
    Code(
        "PTG501",
        "no C++ compiler",
        "Generated kernels are compiled at first use, and no C++20 compiler was found.",
    ),
    Code("PTG502", "C++ compilation failed", "The C++ compiler rejected a generated or hand-written kernel."),
    Code("PTG503", "bad ISA path", "The given installation of the PTO-ISA headers is not usable."),
    Code(
        "PTG504",
        "output not usable",
        "A folder for generated files or compiled kernels, the file of a trace, or standard output cannot be written, "
        "or the folder holds files of others.",
    ),
    Code(
        "PTG505",
        "nothing to report",
        "A report lacks what it is made of: measured times, cost figures of the platform, or the sizes of the call.",
    ),
    Code(
        "PTG506",
        "extra not installed",
        "A command needs a package that is no part of a plain installation, such as pygls for the language server.",
    ),
    Code(
        "PTG511",
        "generated files changed",
        "What the spec makes now is not what stands in the folder of generated files: the spec, a file that it "
        "includes or the targets that were asked for changed since the last build. Build again, and review the "
        "difference as code.",
    ),
    Code(
        "PTG512",
        "generated files missing",
        "Files that the spec makes are not there: they were deleted, or never built or committed.",
    ),
    Code(
        "PTG513",
        "generated files without a spec",
        "The lock file names a spec for this operator that is gone, or that describes another operator now. A build of "
        "the folder of specs deletes what the manifest lists and nobody edited.",
    ),
    Code(
        "PTG514",
        "generated files edited by hand",
        "The bytes of a generated file are not those that a build wrote: it was edited, merged, or never made by a "
        "build. A build does not overwrite it unless it is told to by `--force`. Change the spec instead, or give the "
        "stage as a kernel by hand.",
    ),
    Code(
        "PTG515",
        "generated files of another generator version",
        "The spec is the same, and this version of pyptogen makes other files of it than the one that built them. "
        "Build again, and review the difference as code. Where both versions make the same files nothing is found.",
    ),
    Code(
        "PTG516",
        "no such line",
        "`pyptogen why` and `pyptogen where` take a place as compilers write it, FILE:LINE; the file must be there and "
        "have that line.",
    ),
    Code(
        "PTG517",
        "no source map",
        "The file is none that a build wrote with its source map, or the spec changed since the last build: lines of "
        "the map are then no longer those of the file.",
    ),
    Code(
        "PTG518",
        "plug-ins clash",
        "Two installed packages, or a package and pyptogen itself, give one name: an operation, a pass, a generated "
        "file or a form of findings. Neither counts more than the other, so none does.",
    ),
    Code(
        "PTG519",
        "plug-in not usable",
        "An installed package names something by an entry point of pyptogen that cannot be imported, or that gives "
        "what it may not.",
    ),
    Code(
        "PTG520",
        "template cannot be ejected",
        "`pyptogen template eject` takes the name of a template of the generator, and does not write over a copy that "
        "the project has.",
    ),
)

_CHANGES = (
    Code("PTG601", "operator removed", "There is no spec of this operator any more: whoever calls it fails."),
    Code(
        "PTG602",
        "argument or result removed or renamed",
        "Calls name arguments, and read results by name: those that did are not right any more. Keep the old operator "
        "beside a new one, or change all callers with it.",
    ),
    Code(
        "PTG603",
        "argument or result added",
        "Calls lack an input, or a scalar without a default, that is new; an output more changes what unpacking gives.",
    ),
    Code(
        "PTG604",
        "arguments or results in another order",
        "The entry of compiled callers and the wrapper's positions follow the order of the spec.",
    ),
    Code("PTG605", "dtype of an argument or result changed", "Arrays of the old element type are refused, or misread."),
    Code(
        "PTG606",
        "shape of an argument or result changed",
        "Arrays of the old rank or sizes are refused, or results have other sizes. Whether a size is a number or a dim "
        "of that value, and what dims are called, makes no difference.",
    ),
    Code(
        "PTG607",
        "layout of an argument or result changed",
        "The same elements lie otherwise in memory: packed weights must be packed anew, and compiled callers misread.",
    ),
    Code(
        "PTG608",
        "range of a dim narrowed",
        "Sizes that were taken are refused: a smaller range, coarser multiples, or a number where there was a range. A "
        "wider range breaks nobody.",
    ),
    Code(
        "PTG609",
        "attr removed, re-typed or without a default",
        "Calls give a scalar that is not there or of another type, or rely on a default that is gone.",
    ),
    Code(
        "PTG610",
        "default of an attr changed",
        "Calls that leave the scalar out go on, and compute something else.",
    ),
    Code(
        "PTG611",
        "memory of an output changed",
        "An output updates an input in place that it did not, or no longer: callers lose what they kept, or read "
        "what is not written.",
    ),
    Code(
        "PTG612",
        "other slots of the entry",
        "Compiled callers fill a struct, a slot of 8 bytes for each argument, run-time size and scalar. It has "
        "others, or others' names: they must be changed and compiled again. Callers in Python notice nothing.",
    ),
    Code("PTG613", "target removed", "The operator is not made for a platform that it was made for."),
    Code(
        "PTG614",
        "requirement added",
        "Calls that were right may break a precondition that is new.",
    ),
    Code(
        "PTG615",
        "looser tolerance",
        "A warning of `pyptogen breaking`: results may be further off and still pass.",
    ),
    Code(
        "PTG616",
        "other roundings",
        "A warning of `pyptogen breaking`: outputs come about by other casts or products, so their last places differ.",
    ),
    Code(
        "PTG617",
        "other arithmetic",
        "A warning of `pyptogen breaking`: outputs are computed by other operations, or of other operands.",
    ),
    Code(
        "PTG620",
        "nothing to compare with",
        "`--against` names a commit that git does not have, a place that is in no repository, or no folder of specs.",
    ),
    Code(
        "PTG621",
        "no approval",
        "An entry of the file of approvals approves nothing: its code is none of a breaking change, or its day is "
        "none.",
    ),
    Code(
        "PTG622",
        "approval not used",
        "A warning of `pyptogen breaking`: the change that was approved is not there, or is in what is compared with "
        "already.",
    ),
)

_PACKAGES = (
    Code(
        "PTG701",
        "mixed kernel with one vector core",
        "A cube core of a device has two vector cores beside it, and both run what a mixed kernel says: one that is "
        "written for a single vector core cannot be packaged.",
    ),
    Code(
        "PTG702",
        "condition that only the device knows",
        "The host decides which kernels are launched. In a package it cannot read inputs, which are in the device's "
        "memory: a condition (`if` of a stage) may read dims and attrs.",
    ),
    Code(
        "PTG703",
        "no form in PyTorch",
        "The extension of a package takes contiguous tensors. An operator with strides, or with outputs in the layout "
        "`nz`, is in the library and not in the extension; the package's README says so.",
    ),
    Code(
        "PTG704",
        "two functions of one name",
        "All operators of a package are one library, in which a name is one function.",
    ),
    Code(
        "PTG705",
        "package cannot be made",
        "No spec is made for the target, or the folder holds something that is no package.",
    ),
    Code(
        "PTG706",
        "call that C++ cannot check",
        "The entries of a library in C++ check what the spec requires, and indices that come from inputs. A formula, "
        "or a way from an input to an index, for which there is no such check keeps an operator out of it.",
    ),
    Code(
        "PTG711",
        "kernel that the simpler runtime does not run",
        "In the form `simpler` a kernel is told its block and its vector core by the runtime. Kernels that an author "
        "wrote in C++ have an entry of their own, and mixed kernels have both vector cores beside a cube core.",
    ),
    Code(
        "PTG712",
        "beyond the limits of the simpler runtime",
        "A task has at most 32 tensors and 16 numbers, a call 256 and 128, a tensor five axes, a program 1,024 "
        "kernels, and what is kept between kernels fits a ring of 256 MB.",
    ),
)

_IMPORTS = (
    Code(
        "PTG801",
        "no program to import",
        "`pyptogen import` names something that is not there, is no function, module or model, or that its own library "
        "cannot export: the place is the line of the program where that ended.",
    ),
    Code(
        "PTG802",
        "operation that imports do not take",
        "The program that is imported has an operation, or a form of one, that the language has no words for, or that "
        "nobody has taught the import. All of them are told at once, each at its line; nothing is written.",
    ),
    Code(
        "PTG803",
        "wrong example",
        "`--example` does not describe an argument of the program: a dtype that is none, an axis without a size, a "
        "name that no parameter has.",
    ),
)

CODES: Mapping[str, Code] = MappingProxyType(
    {
        c.code: c
        for group in (_SYNTAX, _NAMES, _LOWERING, _RUN_TIME, _TOOLCHAIN, _CHANGES, _PACKAGES, _IMPORTS)
        for c in group
    }
)
"""All codes by number, in order."""
