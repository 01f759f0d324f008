"""Answers of Converse and ConverseStream, from a script's reply."""

from __future__ import annotations

from typing import Final

from cloche.state.store import Json
from cloche.testing.bedrock.frames import event_frame
from cloche.testing.model_server import output_tokens, raw_arguments
from cloche.testing.prompt_cache import Counted
from cloche.testing.script import Reply

_STOP: Final = {
    "end": "end_turn",
    "tools": "tool_use",
    "length": "max_tokens",
    "filter": "content_filtered",
}


def _usage(reply: Reply, counted: Counted) -> dict[str, Json]:
    output = output_tokens(reply)
    return {
        "inputTokens": counted.fresh,
        "outputTokens": output,
        "totalTokens": counted.all + output,
        "cacheReadInputTokens": counted.read,
        "cacheWriteInputTokens": counted.written,
    }


def _use_id(number: int, at: int) -> str:
    return f"tooluse_{number}_{at}"


def whole(reply: Reply, number: int, counted: Counted) -> dict[str, Json]:
    """The body of a Converse answer; ``number`` of the call makes the ids of tool uses."""
    content: list[Json] = [{"text": reply.text}] if reply.text else []
    for at, call in enumerate(reply.calls):
        use: dict[str, Json] = {"toolUseId": _use_id(number, at), "name": call.tool}
        content.append({"toolUse": {**use, "input": dict(call.arguments)}})
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": _STOP[reply.stop],
        "usage": _usage(reply, counted),
        "metrics": {"latencyMs": 1},
    }


def events(reply: Reply, number: int, counted: Counted) -> list[bytes]:
    """The frames of a ConverseStream answer, in the order a model sends them."""
    frames = [event_frame("messageStart", {"role": "assistant"})]
    at = 0
    for piece in reply.pieces:
        delta: dict[str, Json] = {"delta": {"text": piece}, "contentBlockIndex": at}
        frames.append(event_frame("contentBlockDelta", delta))
    if reply.text:
        frames.append(event_frame("contentBlockStop", {"contentBlockIndex": at}))
        at += 1
    for index, (call, raw) in enumerate(zip(reply.calls, raw_arguments(reply), strict=True)):
        use: dict[str, Json] = {"toolUseId": _use_id(number, index), "name": call.tool}
        start: dict[str, Json] = {"start": {"toolUse": use}, "contentBlockIndex": at}
        frames.append(event_frame("contentBlockStart", start))
        for part in (raw[: len(raw) // 2], raw[len(raw) // 2 :]):
            delta = {"delta": {"toolUse": {"input": part}}, "contentBlockIndex": at}
            frames.append(event_frame("contentBlockDelta", delta))
        frames.append(event_frame("contentBlockStop", {"contentBlockIndex": at}))
        at += 1
    frames.append(event_frame("messageStop", {"stopReason": _STOP[reply.stop]}))
    metadata: dict[str, Json] = {"usage": _usage(reply, counted), "metrics": {"latencyMs": 1}}
    frames.append(event_frame("metadata", metadata))
    return frames
