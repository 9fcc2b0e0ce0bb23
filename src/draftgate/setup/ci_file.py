"""Reads a `.gitlab-ci.yml` and adds one entry to its `include`, with every byte that is there left as it is.

The file is parsed for positions and never written out again, so anchors, comments and `!reference` survive. After the
entry is added the text is parsed once more: unless the only difference is the entry, nothing is added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import yaml

_BOM = "\ufeff"
_ENTRY_INDENT = "  "
_DASH = re.compile(r"( *)- +")
_KEEPS_EMPTY_LINES = re.compile(r"[|>][0-9]?\+[0-9]?[ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE)

# https://docs.gitlab.com/ci/yaml/: what stands at the top level and is no job.
_NO_JOBS = frozenset(
    "after_script before_script cache default image include services spec stages variables workflow".split()
)
_LIMITS_A_JOB = frozenset({"rules", "only", "except", "extends", "trigger", "<<"})


class CannotEdit(Exception):
    """The entry cannot be added without rewriting what is there; the message says why, as part of a sentence."""


@dataclass(frozen=True, slots=True)
class Included:
    """An entry of `include`: its keys that are plain text, and its inputs."""

    keys: dict[str, str]
    inputs: dict[str, str]

    @property
    def is_ours(self) -> bool:
        """Whether it includes Draftgate's template."""
        places = [self.keys.get(key, "") for key in ("local", "remote", "project", "component")]
        return any("draftgate" in place for place in places)


class CiFile:
    """A `.gitlab-ci.yml` as it is.

    Args:
        content: Its bytes.

    Raises:
        CannotEdit: It is not UTF-8, or no YAML of one mapping.
    """

    def __init__(self, content: bytes) -> None:
        try:
            self._text = content.decode("utf-8")
        except UnicodeDecodeError as error:
            raise CannotEdit("it is not UTF-8 text") from error
        self._plain = self._text.removeprefix(_BOM)
        self._root = _root(self._plain)
        self._top = {key.value: value for key, value in self._pairs()}

    @property
    def included(self) -> tuple[Included, ...]:
        """Every entry of `include`."""
        return tuple(_included(node) for node in self._entries())

    @property
    def includes_one(self) -> bool:
        """Whether `include` is a single entry and no list."""
        return isinstance(self._top.get("include"), yaml.ScalarNode | yaml.MappingNode)

    @property
    def stages(self) -> tuple[str, ...] | None:
        """The stages that the file names; ``None`` if it leaves them to GitLab."""
        node = self._top.get("stages")
        if not isinstance(node, yaml.SequenceNode):
            return None
        return tuple(item.value for item in node.value if isinstance(item, yaml.ScalarNode))

    @property
    def has_workflow_rules(self) -> bool:
        """Whether the file says which pipelines there are at all."""
        return any(key == "rules" for key, _ in _texts(self._top.get("workflow")))

    @property
    def jobs_everywhere(self) -> tuple[str, ...]:
        """The jobs without any rule, which run in every pipeline, those of a webhook and a schedule among them."""
        return tuple(
            name
            for name, node in self._top.items()
            if isinstance(node, yaml.MappingNode)
            and name not in _NO_JOBS
            and not name.startswith(".")
            and not _LIMITS_A_JOB & {key for key, _ in _texts(node)}
        )

    def with_entry(self, lines: Sequence[str]) -> bytes:
        """The file with one more entry of `include`.

        Args:
            lines: The entry as YAML, the first beginning with ``- ``.

        Raises:
            CannotEdit: There is no place where it could be added and nothing else change.
        """
        newline = "\r\n" if "\r\n" in self._text else "\n"
        include = self._top.get("include")
        if self._root.flow_style:
            raise CannotEdit("it is one mapping in braces")
        if self._count("include") > 1:
            raise CannotEdit("`include` is written more than once")
        if include is None:
            at, added = self._end(), self._gap(newline) + "include:" + newline
            indent = _ENTRY_INDENT
        else:
            (at, indent), added = self._end_of(include), ""
        before, after = self._plain[:at], self._plain[at:]
        gap = "" if not before or before.endswith(("\n", "\r")) else newline
        text = before + gap + added + "".join(f"{indent}{line}{newline}" for line in lines) + after
        self._require_addition(text, lines)
        return (self._text[: len(self._text) - len(self._plain)] + text).encode()

    def _end(self) -> int:
        if re.search(r"^\.\.\.", self._plain, re.MULTILINE):
            raise CannotEdit("it has a line `...`, after which nothing counts")
        return len(self._plain)

    def _gap(self, newline: str) -> str:
        """An empty line before a new section, unless a text above keeps the empty lines at its end."""
        return newline if self._plain.strip() and not _KEEPS_EMPTY_LINES.search(self._plain) else ""

    def _pairs(self) -> Iterator[tuple[yaml.ScalarNode, yaml.Node]]:
        for key, value in self._root.value:
            if isinstance(key, yaml.ScalarNode):
                yield key, value

    def _count(self, name: str) -> int:
        return sum(key.value == name for key, _ in self._pairs())

    def _entries(self) -> Iterator[yaml.Node]:
        for key, value in self._pairs():
            if key.value == "include":
                yield from value.value if isinstance(value, yaml.SequenceNode) else (value,)

    def _end_of(self, include: yaml.Node) -> tuple[int, str]:
        """Where an entry is added to a list of them, and what it is indented by."""
        key = next(key for key, _ in self._pairs() if key.value == "include")
        is_alias = include.start_mark.index < key.start_mark.index
        if not isinstance(include, yaml.SequenceNode) or include.flow_style or not include.value or is_alias:
            raise CannotEdit("its `include` is not a list with a line for each entry")
        first = include.value[0].start_mark
        dash = _DASH.fullmatch(self._plain[first.index - first.column : first.index])
        if dash is None:
            raise CannotEdit("the entries of its `include` do not stand on lines of their own")
        last = _end_of_block(self._plain, include.start_mark.index)
        line_end = self._plain.find("\n", max(last - 1, 0))
        return (len(self._plain) if line_end < 0 else line_end + 1), dash[1]

    def _require_addition(self, text: str, lines: Sequence[str]) -> None:
        """Hold the new text to the old one: one entry more at the end of `include`, and nothing else."""
        try:
            old, new, after = _events(self._plain), _events(text), CiFile(text.encode()).included
        except yaml.YAMLError as error:
            raise CannotEdit("adding to it would break it") from error
        start = next((at for at, (one, other) in enumerate(zip(old, new, strict=False)) if one != other), len(old))
        kept = old[start:]
        is_between = len(new) > len(old) and (not kept or new[-len(kept) :] == kept)
        wanted = _included(_root("\n".join(lines).replace("- ", "  ", 1)))
        if not is_between or after[:-1] != self.included or not after or after[-1] != wanted:
            raise CannotEdit("adding to it would change what it says")


def _root(text: str) -> yaml.MappingNode:
    try:
        documents = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        place = f" (line {mark.line + 1})" if mark else ""
        raise CannotEdit(f"it is not YAML that can be read{place}") from error
    if not documents:
        return yaml.MappingNode("tag:yaml.org,2002:map", [], flow_style=False)
    if len(documents) > 1 and [key for key, _ in _texts(documents[0])] == ["spec"]:
        del documents[0]  # the inputs of the pipeline, https://docs.gitlab.com/ci/inputs/
    if len(documents) > 1:
        raise CannotEdit("it holds several documents")
    if not isinstance(documents[0], yaml.MappingNode):
        raise CannotEdit("it is not a mapping")
    return documents[0]


def _included(node: yaml.Node) -> Included:
    if isinstance(node, yaml.ScalarNode):
        return Included({"local": node.value}, {})
    found = dict(_texts(node))
    inputs = {key: value.value for key, value in _texts(found.get("inputs")) if isinstance(value, yaml.ScalarNode)}
    return Included({key: value.value for key, value in found.items() if isinstance(value, yaml.ScalarNode)}, inputs)


def _texts(node: yaml.Node | None) -> Iterator[tuple[str, yaml.Node]]:
    """The keys of a mapping that are plain text, each with its value."""
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                yield key.value, value


def _end_of_block(text: str, start: int) -> int:
    """Where the last written character of the list that starts there ends; the parser ends it where the next begins."""
    depth, end = 0, start
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if event.start_mark is None or event.end_mark is None or event.start_mark.index < start:
            continue
        if event.end_mark.index > event.start_mark.index:  # the end of a block, and an empty value, have no length
            end = event.end_mark.index
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth == 0:
            break
    return end


def _events(text: str) -> list[tuple[str, ...]]:
    """What a parser makes of a text, without positions and styles."""
    return [
        (type(event).__name__, *(str(getattr(event, name, None)) for name in ("anchor", "tag", "value", "implicit")))
        for event in yaml.parse(text, Loader=yaml.SafeLoader)
    ]
