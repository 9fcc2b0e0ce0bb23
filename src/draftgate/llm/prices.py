"""What tokens cost, by the list prices that come with `genai_prices`; nothing is fetched.

The address that was asked decides whose prices hold: the same model on a server of one's own has none.
"""

from __future__ import annotations

from decimal import Decimal

from draftgate.llm.base import Usage


def price(model: str, base_url: str, usage: Usage) -> Decimal | None:
    """US dollars for the tokens; ``None`` if no price is known.

    Args:
        model: As the provider spelled it in its answer, or as configured.
        base_url: That was asked.
        usage: Of one turn: some prices depend on how long a request was.
    """
    if not base_url.startswith("https://"):  # no provider is asked so, and the list takes its time to load
        return None
    import genai_prices  # noqa: PLC0415  # 0.15 s and 35 MB, for runs that asked a model

    tokens = genai_prices.Usage(
        input_tokens=usage.input,
        output_tokens=usage.output,
        cache_read_tokens=usage.cached,
        cache_write_tokens=usage.written,
    )
    try:
        return genai_prices.calc_price(tokens, model, provider_api_url=base_url).total_price
    except (LookupError, ValueError):  # no such model; counts that do not fit together
        return None
