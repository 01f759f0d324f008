"""Spans of OpenTelemetry where somebody collects them; nothing at all where nobody does.

No span carries what somebody wrote or what an exception says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import Span, Tracer

Attributes: TypeAlias = Mapping[str, str | int | float | bool]

_tracers: list[Tracer] = []


class Traced:
    """A span that is open, or none."""

    def __init__(self, span: Span | None = None) -> None:
        """Take the span."""
        self._span = span

    @property
    def context(self) -> Context | None:
        """What makes others parts of it, also when it is over; None = there is no span."""
        if self._span is None:
            return None
        from opentelemetry.trace import set_span_in_context

        return set_span_in_context(self._span)

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
def span(
    name: str, attributes: Attributes | None = None, *, of: Traced | None = None
) -> Iterator[Traced]:
    """A span for as long as the block runs, which those inside it are parts of.

    Args:
        name: What it is called.
        attributes: What is known of it.
        of: What it is a part of, which may be over; None = the one that is open around it.
    """
    if not _tracers:
        yield Traced()
        return
    from opentelemetry.trace import use_span

    context = of.context if of else None
    opened = _tracers[0].start_span(name, context=context, attributes=attributes)
    with _ended(opened), use_span(opened, record_exception=False, set_status_on_exception=False):
        yield Traced(opened)


@contextmanager
def within(of: Traced) -> Iterator[None]:
    """What is made in the block is part of a span, which may be over."""
    if of.context is None:
        yield
        return
    from opentelemetry.context import attach, detach

    token = attach(of.context)
    try:
        yield
    finally:
        detach(token)


@contextmanager
def leaf(name: str, attributes: Attributes | None = None) -> Iterator[Traced]:
    """A span of what another one does, as a model: it has no parts, and a generator may hold it."""
    if not _tracers:
        yield Traced()
        return
    from opentelemetry.trace import SpanKind

    opened = _tracers[0].start_span(name, kind=SpanKind.CLIENT, attributes=attributes)
    with _ended(opened):
        yield Traced(opened)


def passed(name: str, since: int, attributes: Attributes, *, of: Traced) -> None:
    """A span that ends now.

    Args:
        name: What it is called.
        since: When it began, in nanoseconds since 1970.
        attributes: What is known of it.
        of: What it is a part of, which may be over.
    """
    if _tracers:
        _tracers[0].start_span(
            name, context=of.context, attributes=attributes, start_time=since
        ).end()


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
