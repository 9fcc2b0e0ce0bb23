"""The models that are asked where a key is there and no model is configured: the one table, printed in the reference.

The names are those of the price list that comes with the program (`draftgate.llm.prices`), which also says what they
cost.
"""

from __future__ import annotations

from typing import Final

DEFAULT_MODELS: Final = {
    "anthropic": {
        "standard": "anthropic:claude-sonnet-5-5",
        "capable": "anthropic:claude-opus-5-5",
        "frontier": "anthropic:claude-fable-5-2",
    },
    "openai": {
        "standard": "openai:gpt-6.1-terra",
        "capable": "openai:gpt-6.1-sol",
        "frontier": "openai:gpt-6-astra",
    },
}
"""By maker, then by seat."""

PROVIDERS: Final = {"openai": "openai", "openai-responses": "openai", "anthropic": "anthropic"}
"""What may stand before the colon of a model, and whose key it needs."""
