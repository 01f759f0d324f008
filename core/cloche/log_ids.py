"""The ids of what is under way, which lines of the log carry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import MappingProxyType

_ids: ContextVar[Mapping[str, str]] = ContextVar("ids", default=MappingProxyType({}))


def ids_now() -> Mapping[str, str]:
    """What a line that is written now is about."""
    return _ids.get()


@contextmanager
def logged(**ids: str) -> Iterator[None]:
    """Every line written in the block carries these ids, beside those there are already.

    One that is not known ("") is none: a line of unknown origin has no other one's id.
    """
    token = _ids.set({name: id_ for name, id_ in {**_ids.get(), **ids}.items() if id_})
    try:
        yield
    finally:
        _ids.reset(token)
