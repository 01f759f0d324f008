"""Spans of OpenTelemetry where somebody collects them; nothing at all where nobody does.

No span carries what somebody wrote or what an exception says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

Attributes: TypeAlias = Mapping[str, str | int | float | bool]

_tracers: list[Tracer] = []


class Traced:
    """A span that is open, or none."""

    def __init__(self, span: Span | None = None) -> None:
        """Take the span."""
        self._span = span

    def note(self, attributes: Attributes) -> None:
        """Add what became known meanwhile."""
        if self._span is not None:
            self._span.set_attributes(attributes)


def collect_spans() -> bool:
    """Begin to make spans if a provider collects them, as ``opentelemetry-instrument`` sets up.

    Returns:
        Whether one does.
    """
    from opentelemetry import trace

    _tracers.clear()
    provider = trace.get_tracer_provider()
    if isinstance(provider, trace.ProxyTracerProvider | trace.NoOpTracerProvider):
        return False
    _tracers.append(provider.get_tracer("cloche"))
    return True


def collect_no_spans() -> None:
    """Make none any more."""
    _tracers.clear()


@contextmanager
def span(name: str, attributes: Attributes | None = None) -> Iterator[Traced]:
    """A span for as long as the block runs, which those inside it are parts of."""
    if not _tracers:
        yield Traced()
        return
    from opentelemetry.trace import use_span

    opened = _tracers[0].start_span(name, attributes=attributes)
    with _ended(opened), use_span(opened, record_exception=False, set_status_on_exception=False):
        yield Traced(opened)


@contextmanager
def leaf(name: str, attributes: Attributes | None = None) -> Iterator[Traced]:
    """A span that has no parts: it may be held open by a generator, on whatever task."""
    if not _tracers:
        yield Traced()
        return
    opened = _tracers[0].start_span(name, attributes=attributes)
    with _ended(opened):
        yield Traced(opened)


@contextmanager
def _ended(opened: Span) -> Iterator[None]:
    from opentelemetry.trace import Status, StatusCode

    try:
        yield
    except BaseException as error:
        opened.set_attribute("error.type", type(error).__name__)
        opened.set_status(Status(StatusCode.ERROR))
        raise
    finally:
        opened.end()
