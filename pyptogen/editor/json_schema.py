"""JSON Schema (draft 7) of spec files, for editors and validators.

The pydantic models say which keys there are and of what kind; what they leave open, as their values are read by hand,
is filled in here: types of tensors, dims, stages, rows of tiling. Names and expressions are text to a schema: whether a
name exists, and shapes fit, `pyptogen check` tells. Editors that know the keyword ``defaultSnippets`` offer
operations.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

from pyptogen.editor.key_docs import KEY_DOCS, ROW_DOCS, STAGE_DOCS
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor.building.registry import REQUIRED, Operation, operations
from pyptogen.schema import models
from pyptogen.schema.contract import DTYPES, LAYOUTS
from pyptogen.schema.kernels_section import COMMON, KEYS, NEEDED
from pyptogen.schema.models import Section
from pyptogen.schema.naming import RESERVED
from pyptogen.schema.tiling_section import OPTION_LIMITS, ROW_OPTIONS, UNPROTECTED
from pyptogen.schema.verify_section import GENERATORS

Kind = Literal["spec", "include", "tiling"]
Schema = dict[str, Any]

FILE_NAME = "pyptogen.schema.json"
"""What `pyptogen new` calls the file beside specs."""

_NAME = r"[A-Za-z]([A-Za-z0-9_]*[A-Za-z0-9])?_?"
_COMPARISON = r"^\s*(<=|>=|==|!=|<|>)\s*-?[0-9]{1,18}\s*$"


def json_schema(kind: Kind = "spec") -> Schema:
    """The schema of a spec, of a file that specs include, or of a file with a tiling table."""
    root = {"spec": _spec, "include": _included, "tiling": _tiling_file}[kind]()
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": {"spec": "pyptogen spec", "include": "pyptogen include", "tiling": "pyptogen tiling table"}[kind],
        **root,
        "definitions": _definitions(),
    }


def schema_text(kind: Kind = "spec") -> str:
    """The same as the text of a file."""
    return json.dumps(json_schema(kind), indent=1, ensure_ascii=False) + "\n"


def _spec() -> Schema:
    schema = _object(models.SpecModel, **_sections())
    schema["anyOf"] = [{"required": ["graph"]}, {"required": ["kernels"]}]
    return schema


def _included() -> Schema:
    sections = _sections()
    return {
        "type": "object",
        "properties": {
            key: {"description": doc, **(sections[key] if key in {"dims", "functions", "tiling", "include"} else {})}
            for key, doc in KEY_DOCS[models.SpecModel].items()
        },
        "additionalProperties": False,
    }


def _tiling_file() -> Schema:
    rows = {"type": "array", "items": _ref("row")}
    return {"anyOf": [rows, _object(models.TableFileModel, pyptogen={"const": 1}, tiling=rows)]}


def _sections() -> dict[str, Schema]:
    names = {"type": "array", "items": {"type": "string"}}
    return {
        "pyptogen": {"const": 1},
        "operator": {"type": "string", "pattern": "^[a-z][a-z0-9_]*$", "not": {"enum": sorted(RESERVED)}},
        "include": {"anyOf": [{"type": "string"}, names]},
        "dims": _named(_ref("dim")),
        "attrs": _named(_ref("attr")),
        "inputs": _named(_ref("tensor")),
        "outputs": _named({"anyOf": [_ref("tensor"), _ref("inplace")]}),
        "requires": {"type": "array", "items": {"type": "string"}},
        "functions": _functions(),
        "graph": {"anyOf": [_ref("values"), _named(_ref("stage"))]},
        "tiling": {"anyOf": [{"type": "array", "items": _ref("row")}, _ref("tilingFile")]},
        "schedule": _ref("schedule"),
        "kernels": _named(_ref("kernel")),
        "backward": {"type": "string", "pattern": "^[a-z][a-z0-9_]*$"},
        "verify": _ref("verify"),
        "targets": {"type": "array", "minItems": 1, "items": {"enum": sorted(PLATFORMS)}},
    }


def _definitions() -> dict[str, Schema]:
    expressions = {"type": "array", "items": {"type": ["string", "number", "boolean", "object", "array"]}}
    some = {"anyOf": [_ref("expression"), expressions]}
    return {
        "expression": _expression(),
        "expressions": some,
        "condition": {"anyOf": [{"type": "string"}, _mapping({"type": ["integer", "string"]})]},
        "dim": {
            "anyOf": [
                {"type": "integer", "minimum": 1},
                {"type": "string", "minLength": 1},
                _object(models.DynamicDimModel),
            ]
        },
        "attr": _object(models.AttrModel),
        "dtype": {"enum": list(DTYPES)},
        "tensor": _tensor(),
        "inplace": _object(models.InPlaceModel, inplace={"type": ["boolean", "string"], "not": {"const": False}}),
        "values": _values(),
        "stage": _stage(),
        "size": _size(),
        "row": _row(),
        "stageSizes": _stage_sizes(),
        "tilingFile": _object(models.TilingFileModel),
        "schedule": _object(models.ScheduleModel),
        "kernel": _kernel(),
        "lines": {"anyOf": [{"type": "array", "items": _ref("line")}, _mapping(_ref("line"))]},
        "line": {"anyOf": [_ref("expression"), {"type": "object"}]},
        "buffer": _object(models.BufferModel, shape=some, valid=some, dtype=_ref("dtype")),
        "verify": _object(
            models.VerifyModel,
            generate=_mapping(_generator()),
            tolerance=_mapping(_object(models.ToleranceModel)),
            golden=_object(models.GoldenModel),
        ),
    }


def _object(model: type[Section], **own: Schema) -> Schema:
    """The schema of a model, with descriptions, and ``own`` schemas of keys instead of what the model says of them."""
    made = model.model_json_schema(by_alias=True)
    properties: dict[str, Schema] = {}
    for key, given in made["properties"].items():
        said = own.get(key, {name: value for name, value in given.items() if name not in {"title", "default"}})
        properties[key] = {"description": KEY_DOCS[model][key], **_without_null(said)}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    required = made.get("required")
    return {**schema, "required": required} if required else schema


def _without_null(schema: Schema) -> Schema:
    """A schema that pydantic made of ``X | None``, without the null: a key that says nothing is left out."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    if not choices:
        return schema
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**rest, **choices[0]} if len(choices) == 1 else {**rest, "anyOf": choices}


def _ref(name: str) -> Schema:
    # One of a list, as draft 7 passes over everything that stands beside a `$ref`.
    return {"allOf": [{"$ref": f"#/definitions/{name}"}]}


def _mapping(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _named(values: Schema) -> Schema:
    """A mapping whose keys are names that the spec gives."""
    taken = sorted(RESERVED - {"out", "target"})
    return {**_mapping(values), "propertyNames": {"pattern": f"^{_NAME}$", "not": {"enum": taken}}}


def _expression() -> Schema:
    return {
        "type": ["string", "number", "boolean"],
        "minLength": 1,
        "description": "An expression in Python's grammar. `pyptogen explain op NAME` tells of an operation.",
        "defaultSnippets": [_snippet(one) for one in operations().values()],
    }


def _snippet(operation: Operation) -> Schema:
    needed = [one.name for one in operation.parameters if one.default is REQUIRED]
    holes = ", ".join(f"${{{number}:{name}}}" for number, name in enumerate(needed, 1))
    return {"label": operation.name, "description": operation.doc, "body": f"{operation.name}({holes})"}


def _tensor() -> Schema:
    dtypes, layouts = "|".join(DTYPES), "|".join(LAYOUTS)
    short = {
        "type": "string",
        "pattern": rf"^\s*({dtypes})\s*\[[\s\S]*\]\s*(@\s*({layouts})\s*)?$",
        "description": "dtype[axis, …], or dtype[axis, …] @ layout",
    }
    some = {**_ref("expressions")}
    layout = {"enum": list(LAYOUTS)}
    long = _object(
        models.TensorModel, shape=some, strides=some, init=_ref("expression"), dtype=_ref("dtype"), layout=layout
    )
    return {"anyOf": [short, long]}


def _values() -> Schema:
    """`name: expression` entries; several names for several results."""
    return {**_mapping(_ref("expression")), "propertyNames": {"pattern": rf"^\s*{_NAME}(\s*,\s*{_NAME})*\s*,?\s*$"}}


def _functions() -> Schema:
    body = {"type": "object", "required": ["return"], "properties": {"return": _ref("expressions")}}
    body["additionalProperties"] = _ref("expression")
    return {**_mapping(body), "propertyNames": {"pattern": rf"^\s*{_NAME}\s*\([\s\S]*\)\s*$"}}


def _stage() -> Schema:
    docs: dict[str, Schema] = {key: {"description": doc} for key, doc in STAGE_DOCS.items()}
    for key in ("when", "if"):
        docs[key] |= _ref("condition")
    conditions = {key: docs[key] for key in ("when", "if")}
    plain = {
        "type": "object",
        "properties": conditions,
        "additionalProperties": _ref("expression"),
    }
    sections = {key: docs[key] | _ref("values") for key in ("carry", "body", "next", "collect")}
    head = _object(models.LoopModel, **{"if": _ref("condition")})
    loop = {
        "type": "object",
        "required": ["loop"],
        "properties": {**conditions, **sections, "loop": docs["loop"] | head},
        "additionalProperties": False,
    }
    by_hand = {"type": "null"}
    return {"anyOf": [plain, loop, by_hand]}


def _size() -> Schema:
    given = _object(models.SizeModel)
    pairs = (("unroll", "tile"), ("unroll", "l1"), ("unroll", "tail"), ("tile", "l1"))
    given["not"] = {"anyOf": [{"required": list(pair)} for pair in pairs]}
    given["properties"]["unroll"]["items"] = {"type": "integer", "minimum": 1}
    return {"anyOf": [{"type": "integer", "minimum": 1}, given]}


def _row() -> Schema:
    test = {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": _COMPARISON}]}
    target = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    when = {"type": "object", "properties": {"target": target}, "additionalProperties": test}
    fuse = {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
    options = _options(ROW_OPTIONS)
    return {
        "type": ["object", "null"],
        "properties": {
            "when": {"description": ROW_DOCS["when"], **when},
            "fuse": {"description": ROW_DOCS["fuse"], **fuse},
            **options,
        },
        "additionalProperties": {"anyOf": [_ref("size"), _ref("stageSizes")]},
    }


def _stage_sizes() -> Schema:
    return {"type": "object", "properties": _options(OPTION_LIMITS), "additionalProperties": _ref("size")}


def _options(names: Mapping[str, int] | tuple[str, ...]) -> dict[str, Schema]:
    return {
        name: {
            "description": ROW_DOCS[name],
            "type": "integer",
            "minimum": 1,
            "maximum": OPTION_LIMITS[name],
            **({"not": {"enum": list(UNPROTECTED[name])}} if name in UNPROTECTED else {}),
        }
        for name in names
    }


def _kernel() -> Schema:
    written = {"anyOf": [{"type": "array", "items": {"type": "string"}}, _named(_ref("tensor"))]}
    lines = _ref("lines")
    schema = _object(
        models.KernelModel,
        grid=_named(_ref("expression")),
        buffers=_named(_ref("buffer")),
        before=lines,
        body=lines,
        after=lines,
        writes=written,
        blocks=_ref("expression"),
    )
    schema["allOf"] = [
        {
            "if": {"properties": {"level": {"const": level}}, "required": ["level"]},
            "then": {"propertyNames": {"enum": sorted(keys | COMMON)}, "required": list(NEEDED[level])},
        }
        for level, keys in KEYS.items()
    ]
    return schema


def _generator() -> Schema:
    calls = "|".join(GENERATORS)
    return {
        "type": "string",
        "pattern": rf"^\s*({calls})\s*\(",
        "description": f"One of {', '.join(GENERATORS)}.",
        "defaultSnippets": [
            {"label": name, "body": f"{name}({ways[-1]})", "description": "generator"}
            for name, ways in GENERATORS.items()
        ],
    }
