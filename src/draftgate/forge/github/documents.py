"""The GraphQL documents of the folder ``queries``, read by name. It does not send or check them."""

from __future__ import annotations

from importlib.resources import files


def read_document(name: str) -> str:
    """The text of ``queries/<name>.graphql``.

    Raises:
        FileNotFoundError: there is no such document.
    """
    return (files(__package__) / "queries" / f"{name}.graphql").read_text(encoding="utf-8")
