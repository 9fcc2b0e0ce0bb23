"""Crashes, speed and restraint of the comment command parser, on generated comments.

    python benchmarks/command_parser.py [--comments 1000000] [--seed 1]

Comments are drawn from a seed: prose, every command's good examples whole and damaged, and soups of the marks that
the grammar knows, most of them short, one in a hundred up to 4,096 characters. Each is timed alone by the thread's
processor time. Afterwards one kind of soup is read at doubling lengths up to the limit, where the time for a
character must not grow.
"""

from __future__ import annotations

import argparse
import random
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator

from draftgate.commands.registry import load_commands, load_grammar
from draftgate.commands.verbs.approve_findings import ApproveFindings
from draftgate.domain.command import MAX_COMMENT, Bare, ParsedComment, parse_comment

PROSE = "This looks fine to me, but please see src/app.py and the 3 callers `of it` before we merge. ".split(" ")
SOUP = (
    *("/approve-findings", "/aprove-findngs", "/draftgate ", "approve", "/drop-finding", "/edit-finding", "/lgtm"),
    *(" ", " ", " ", "all", "except", "checked", "none", "--as", "comment", "--skip-below", "nitpick", "\u2014", "and"),
    *(
        "1",
        "2-4",
        "10",
        "#",
        ",",
        ",",
        ";",
        "&",
        "-",
        "\u2013",
        "0",
        "999999999",
        "\uff11",
        "\u200b",
        "\u00a0",
        "\u202e",
    ),
    *(
        "```",
        "~~~",
        "`",
        "``",
        "<!--",
        "-->",
        "> ",
        "- ",
        "1. ",
        "    ",
        "\t",
        "\r\n",
        "\n",
        "\n",
        "\n",
        "\n\n",
        "<pre>",
    ),
    *("</pre>", "<details>", "\\", "\ud800", "\x00", "\U0001f642", "\u0661"),
)


def generate(rng: random.Random, examples: list[str]) -> str:
    """One comment."""
    size = rng.randint(1, 60) if rng.random() < 0.99 else int(2 ** rng.uniform(6, 12))
    kind = rng.random()
    if kind < 0.2:
        return " ".join(rng.choices(PROSE, k=size))[:4096]
    if kind < 0.4:
        return damaged(rng, "\n".join(rng.choices(examples, k=rng.randint(1, 4))))
    if kind < 0.7:
        return f"{rng.choice(examples)}{''.join(rng.choices(SOUP, k=size))}"[:4096]
    return "".join(rng.choices(SOUP, k=size))[:4096]


def damaged(rng: random.Random, text: str) -> str:
    """The text with a few characters taken out, doubled or replaced."""
    for _ in range(rng.randint(0, 3)):
        place = rng.randrange(len(text))
        text = text[:place] + rng.choice(("", text[place] * 2, chr(rng.randrange(0x3000)))) + text[place + 1 :]
        text = text or "/"
    return text


def overreaches(comment: ParsedComment) -> bool:
    """Whether an approval reaches a number, or everything, that its line does not say."""
    for command in comment.commands:
        if not isinstance(command.parsed, ApproveFindings):
            continue
        line = unicodedata.normalize("NFKC", command.text).lower()
        written = {int(digits) for digits in re.findall(r"(?<![0-9])[1-9][0-9]{0,3}(?![0-9])", line)}
        ranges = command.parsed.selection.ranges
        if not all({part.first, part.last} <= written for part in ranges):
            return True
    return False


def timed(texts: Iterator[str], counts: Counter[str]) -> list[int]:
    """Nanoseconds of each comment; what came of them goes into ``counts``."""
    grammar = load_grammar(Bare.OWN)
    times = []
    for text in texts:
        start = time.thread_time_ns()
        comment = parse_comment(text, grammar)
        times.append(time.thread_time_ns() - start)
        counts["understood" if comment.commands else "refused" if comment.refusals else "not ours"] += 1
        counts["overreaching"] += overreaches(comment)
    return times


def print_lengths(rng: random.Random) -> None:
    """Time for a character at doubling lengths, the least of five readings."""
    grammar = load_grammar(Bare.OWN)
    length = 1024
    while length <= MAX_COMMENT:
        text = ("/drop-finding 2\n" + "".join(rng.choices(SOUP, k=length)))[:length]
        times = []
        for _ in range(5):
            start = time.thread_time_ns()
            parse_comment(text, grammar)
            times.append(time.thread_time_ns() - start)
        print(f"{length:>7,} characters  {min(times) / 1e6:8.2f} ms  {min(times) / length:6.0f} ns a character")
        length *= 2


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--comments", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    rng = random.Random(arguments.seed)  # noqa: S311  # not a secret
    examples = [text for command in load_commands() for text in command.good]
    counts: Counter[str] = Counter()

    times = sorted(timed((generate(rng, examples) for _ in range(arguments.comments)), counts))

    print(f"{len(times):,} comments, no crash; " + ", ".join(f"{counts[key]:,} {key}" for key in sorted(counts)))
    for share in (0.5, 0.99, 0.9999, 1.0):
        place = min(len(times) - 1, int(len(times) * share))
        print(f"p{share * 100:g}".ljust(8), f"{times[place] / 1e6:8.3f} ms")
    print_lengths(rng)


if __name__ == "__main__":
    main()
