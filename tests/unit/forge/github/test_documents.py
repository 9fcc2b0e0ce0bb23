"""The GraphQL documents are one operation each."""

from __future__ import annotations

from importlib.resources import files

import pytest
from graphql import OperationDefinitionNode, parse

from draftgate.forge.github.documents import read_document

NAMES = sorted(entry.name.removesuffix(".graphql") for entry in (files("draftgate.forge.github") / "queries").iterdir())


def test_documents_come_with_the_package() -> None:
    assert "delete_review" in NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_document_is_one_operation(name: str) -> None:
    operations = [part for part in parse(read_document(name)).definitions if isinstance(part, OperationDefinitionNode)]

    assert len(operations) == 1
