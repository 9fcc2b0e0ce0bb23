"""How many tokens a text is, without a tokenizer: about, and at most.

What the provider counts takes the place of an estimate as soon as it is known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

CHARACTERS_PER_TOKEN = 3.5
"""Of code and of prose, about; rather fewer than there are."""

_FEWEST_BYTES_PER_TOKEN = 2.0
"""Of a whole prompt. Only texts of random letters have less, and a prompt is not all of them. Bytes, because a
character of Chinese or Japanese can be a token by itself, and is three bytes."""


def estimate_tokens(characters: int) -> int:
    """Tokens of a text of so many characters, about, rather more than less."""
    return math.ceil(characters / CHARACTERS_PER_TOKEN)


@dataclass(slots=True)
class PromptTokens:
    """Tokens of the next request of one conversation, each of whose requests begins as the one before.

    Attributes:
        counted: What the provider counted for the last request; 0 before the first.
        bytes_counted: Of that request.
    """

    counted: int = 0
    bytes_counted: int = 0

    def learn(self, size: int, counted: int) -> None:
        """Remember what the provider counted for a request of so many bytes; 0 if it did not say."""
        if counted:
            self.counted, self.bytes_counted = counted, size

    def about(self, size: int) -> int:
        """For so many bytes."""
        return self.counted + estimate_tokens(max(size - self.bytes_counted, 0))

    def at_most(self, size: int) -> int:
        """For so many bytes; on the high side."""
        return self.counted + math.ceil(max(size - self.bytes_counted, 0) / _FEWEST_BYTES_PER_TOKEN)
