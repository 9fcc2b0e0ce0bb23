"""What asks Draftgate for something on any platform: the label, and the comments that may hold a command.

Both are decided from the event alone, under every configuration that there can be.
"""

from __future__ import annotations

LABEL = "draftgate"
"""The label that asks for a review."""


def may_be_for_us(text: str) -> bool:
    """Whether a comment may hold a command under some configuration.

    With every bare name allowed the language understands all that it understands without, so one look is enough. A
    comment with a marker of ours is never a command, whoever wrote it.
    """
    from draftgate.commands.registry import load_grammar  # noqa: PLC0415 - 0.1 s that other events can do without
    from draftgate.domain.command import Bare, parse_comment  # noqa: PLC0415 - the same
    from draftgate.forge.hidden import read_marked  # noqa: PLC0415 - the same

    parsed = parse_comment(text, load_grammar(Bare.ALL))
    return bool(parsed.commands or parsed.refusals) and read_marked(text) is None
