"""How a run may reach models: keys and addresses as the environment gives them, with nothing asked of anybody."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from draftgate.errors import UsageError

KEY_NAMES = ("INPUT_LLM-API-KEY", "DRAFTGATE_LLM_API_KEY")
BASE_URL_NAMES = ("INPUT_LLM-BASE-URL", "DRAFTGATE_LLM_BASE_URL")
OWN_KEY_NAMES = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""What each maker of models calls its key, by the name of its provider; in the order in which one is picked."""

_OWN_BASE_URL_NAMES = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}
_CA_FILES = ("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE")
_KEY = re.compile(r"[\x21-\x7e]{1,8192}")
_URL = re.compile(r"https?://[^\s@/?#]+(?:/[^\s@?#]*)?")
_ENDPOINT = re.compile(r"/(?:chat/completions|responses|messages)$")
"""What people copy along with a base URL."""

_ANTHROPIC_KEY = "sk-ant-"


@dataclass(frozen=True, slots=True)
class ModelAccess:
    """Keys and addresses.

    Attributes:
        key: For whatever provider is configured; "" if none was given.
        own_keys: By maker, the keys that were given under the maker's own name.
        base_url: A server in place of the providers' own; "" for those.
        own_base_urls: By maker, likewise.
        ca_file: Certificate authorities to trust; "" for the usual ones.
    """

    key: str = field(default="", repr=False)
    own_keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    base_url: str = ""
    own_base_urls: Mapping[str, str] = field(default_factory=dict)
    ca_file: str = ""

    @property
    def is_there(self) -> bool:
        """Whether any key was given."""
        return bool(self.key or self.own_keys)

    @property
    def preferred(self) -> str:
        """The maker that the keys point to."""
        if self.key:
            return _maker_of(self.key)
        return next(iter(self.own_keys), "openai")

    def key_for(self, maker: str, base_url: str) -> str:
        """The key for a maker's models; "" where none was given that may be sent there.

        One under the maker's own name counts where the other is plainly another maker's, which that one must not see.

        Args:
            maker: Whose models are asked.
            base_url: Where; "" for the maker's own server. Others may take any key.
        """
        is_anothers = _maker_of(self.key) != maker
        own = self.own_keys.get(maker, "")
        if own and (not self.key or is_anothers):
            return own
        return "" if is_anothers and not base_url else self.key

    def base_url_for(self, maker: str) -> str:
        """The server that is asked for a maker's models; "" for its own."""
        return self.base_url or self.own_base_urls.get(maker, "")


def read_access(environment: Mapping[str, str]) -> ModelAccess:
    """Keys and addresses of an environment; an empty variable is the same as none.

    Raises:
        UsageError: a value cannot be a key or an address; the value itself is not repeated.
    """
    values = {name: value.strip() for name, value in environment.items()}
    return ModelAccess(
        key=_key(values, *KEY_NAMES),
        own_keys=_given({maker: _key(values, name) for maker, name in OWN_KEY_NAMES.items()}),
        base_url=_base_url(values, *BASE_URL_NAMES),
        own_base_urls=_given({maker: _base_url(values, name) for maker, name in _OWN_BASE_URL_NAMES.items()}),
        ca_file=next((values[name] for name in _CA_FILES if values.get(name)), ""),
    )


def _given(values: Mapping[str, str]) -> dict[str, str]:
    return {maker: value for maker, value in values.items() if value}


def _key(values: Mapping[str, str], *names: str) -> str:
    name = next((name for name in names if values.get(name)), None)
    if name is None:
        return ""
    if _KEY.fullmatch(values[name]) is None:
        raise UsageError("it holds blanks or characters that no key has", context=name, hint="copy the secret anew")
    return values[name]


def _base_url(values: Mapping[str, str], *names: str) -> str:
    name = next((name for name in names if values.get(name)), None)
    if name is None:
        return ""
    if _URL.fullmatch(values[name]) is None:
        raise UsageError(
            "it is no plain address", context=name, hint="write it as in `https://llm.example.com/v1`, without a key"
        )
    return _ENDPOINT.sub("", values[name].rstrip("/"))


def _maker_of(key: str) -> str:
    return "anthropic" if key.startswith(_ANTHROPIC_KEY) else "openai"
