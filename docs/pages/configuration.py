"""Writes the reference page of the configuration: every key with its type, default, meaning and an example.

All of it comes from the JSON Schema that editors use, so that the two cannot say different things.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from draftgate.bootstrap.configuration import GUARDED, known_names
from draftgate.config.complaints import spell
from draftgate.config.load import CANDIDATE_PATHS
from draftgate.config.model import FORMS, HOST_FORM, NO_EFFECT, PATH_FORM, URL_FORM
from draftgate.config.schema import NOT_YET, json_schema, model_form

Json = dict[str, Any]

_BAR = r" \| "
_HEAD = ("| key | type | default | what it does | example |", "| --- | --- | --- | --- | --- |")
_TEXTS = {
    **FORMS,
    HOST_FORM: "host name",
    URL_FORM: "address",
    PATH_FORM: "path in the repository",
    model_form(): "`provider:model`",
}
_OF_ITEMS = {"checks": "ID", "policy": "GATE", "env": "NAME"}


def schema() -> Json:
    """The schema as this release publishes it."""
    return json_schema(known_names())


def configuration() -> str:
    """The whole page in Markdown."""
    whole = schema()
    scalars = {name: field for name, field in whole["properties"].items() if _below(whole, field) is None}
    sections = {name: below for name, field in whole["properties"].items() if (below := _below(whole, field))}
    lines = [*_introduction(), "## Alone at the top\n", *_HEAD]
    for name, field in scalars.items():
        lines += _rows(whole, name, field, is_idle=False, is_required=False)
    for name, below in sections.items():
        field = whole["properties"][name]
        lines += [f"\n## `{name}`\n", f"{field['description']}\n", *_HEAD]
        lines += _section(whole, name, below, is_idle=NO_EFFECT in field)
    return "\n".join((*lines, ""))


def _introduction() -> Iterator[str]:
    folders = (f"`{path.rpartition('/')[0]}`" for path in CANDIDATE_PATHS if "/" in path)
    guarded = [f"`{name}`" for name in GUARDED]
    yield "# Configuration\n"
    yield f"The file is `draftgate.yml`, at the top of the repository or in its folder {' or '.join(folders)};"
    yield "two of them are an error."
    yield "All keys may be left out."
    yield "[How to write and check it](../how-to/configuration.md), with an editor that knows the keys:"
    yield "[configuration.schema.json](configuration.schema.json).\n"
    yield "Five sources, a later one wins over an earlier one:\n"
    yield "1. the defaults below"
    yield "2. the file: on a forge that at the tip of the target branch, in a terminal that of the work tree"
    yield "3. variables: `DRAFTGATE_` and the key in capitals, `__` between its parts and `_` for dots and dashes, as"
    yield "   in `DRAFTGATE_CODE_REVIEW__MAX_FINDINGS=20` or `DRAFTGATE_SKIP__LABELS='[wip]'`; not `version`"
    yield "4. inputs of the action; those of the GitLab template arrive as variables"
    yield "5. the command line\n"
    yield "Mappings are merged key by key, lists are replaced as a whole. `draftgate config show` prints what is in"
    yield "force and which source set it.\n"
    yield f"On a forge, {', '.join(guarded[:-1])} and {guarded[-1]} come from the default branch where the target is"
    yield "another. Secrets come from the environment alone; one in the file is an error.\n"
    yield "Keys marked ◦ are read and checked, and have no effect in this release.\n"


def _section(whole: Json, above: str, section: Json, *, is_idle: bool) -> Iterator[str]:
    is_idle = is_idle or NO_EFFECT in section
    entries = section.get("additionalProperties")
    if isinstance(entries, dict):  # a mapping whose keys are names of the user's
        key = f"{above}.{_OF_ITEMS.get(above.rpartition('.')[2], 'NAME')}"
        below = _below(whole, entries)
        if below is not None:
            yield from _section(whole, key, below, is_idle=is_idle)
        return
    for name, field in section["properties"].items():
        is_required = name in section.get("required", ())
        yield from _rows(whole, f"{above}.{name}", field, is_idle=is_idle, is_required=is_required)


def _rows(whole: Json, key: str, field: Json, *, is_idle: bool, is_required: bool) -> Iterator[str]:
    is_idle = is_idle or NO_EFFECT in field
    below = _below(whole, field)
    if "allOf" not in field:  # a section alone has nothing to say that its keys do not
        default = "required" if is_required else f"`{_cell(spell(field['default']))}`" if "default" in field else "–"
        mark = " ◦" if is_idle else ""
        said = field["description"].removesuffix(NOT_YET)
        example = _cell(f"{key.rpartition('.')[2]}: {spell(field['examples'][0])}")
        yield f"| `{key}`{mark} | {_type(whole, field)} | {default} | {said} | `{example}` |"
    if below is not None:
        yield from _section(whole, key if "items" not in field else f"{key}[]", below, is_idle=is_idle)


def _cell(text: str) -> str:
    return text.replace("|", r"\|")


def _below(whole: Json, field: Json) -> Json | None:
    """The section or mapping that a field holds, alone, in a list, or beside something else."""
    if isinstance(field.get("additionalProperties"), dict):
        return field
    for part in (field, field.get("items", {}), *field.get("items", {}).get("oneOf", ())):
        for option in (part, *part.get("allOf", ()), *part.get("anyOf", ()), *part.get("oneOf", ())):
            if "$ref" in option:
                return _resolved(whole, option)
            for inner in option.get("oneOf", ()):
                if "$ref" in inner:
                    return _resolved(whole, inner)
    return None


def _resolved(whole: Json, reference: Json) -> Json:
    found: Json = whole["definitions"][reference["$ref"].rpartition("/")[2]]
    return found


def _type(whole: Json, part: Json) -> str:
    if "enum" in part or "const" in part:
        return _BAR.join(f"`{spell(value)}`" for value in part.get("enum", [part.get("const")]))
    options = next((part[name] for name in ("anyOf", "oneOf", "allOf") if name in part), None)
    if options is not None:
        kinds = (_type(whole, option) for option in options if option.get("type") != "null")
        return " or ".join(dict.fromkeys(kinds))
    if "$ref" in part:
        return "keys" if _resolved(whole, part).get("properties") else "`{}`"
    return _simple_type(whole, part)


def _simple_type(whole: Json, part: Json) -> str:
    match part["type"]:
        case "array":
            return f"list of {_type(whole, part['items'])}"
        case "boolean":
            return r"`true` \| `false`"
        case "integer" | "number" as kind:
            return f"{'whole number' if kind == 'integer' else 'number'}{_range(part)}"
        case "string":
            return _TEXTS.get(part.get("pattern", ""), part.get("title", "text"))
        case _:
            return "keys"


def _range(part: Json) -> str:
    low = part.get("minimum", part.get("exclusiveMinimum"))
    if low is None:
        return ""
    if "exclusiveMinimum" in part:
        return f" above {low:,}, at most {part['maximum']:,}"
    return f" {low:,}" if low == part["maximum"] else f" {low:,}–{part['maximum']:,}"
