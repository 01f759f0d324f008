"""What Converse refuses, with the service's words where they are known.

botocore checks types and required fields before anything is sent; this is what the service checks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from cloche.testing.bedrock.models import KnownModel
from cloche.testing.pictures import Picture, read_picture

MAX_CACHE_POINTS: Final = 4
MAX_IMAGES: Final = 20
_TOOL_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_TOOL_USE_ID: Final = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")

Body = Mapping[str, Any]


class RefusedError(Exception):
    """A ValidationException; the message is the service's."""


def check(body: Body, model: KnownModel) -> tuple[Picture, ...]:
    """Refuse what the service would refuse; the pictures of an acceptable request, in order.

    Raises:
        RefusedError: the first thing that is wrong.
    """
    messages = body.get("messages") or []
    _check_roles(messages)
    for at, message in enumerate(messages):
        _check_texts(f"messages.{at}", message["content"])
    for at, block in enumerate(body.get("system") or []):
        if not block.get("text", "-").strip():
            raise RefusedError(f"system.{at}: text content blocks must be non-empty.")
    _check_tools(body)
    _check_tool_results(body, messages)
    _check_cache_points(body, model)
    _check_inference(body.get("inferenceConfig") or {})
    return _checked_images(messages, model)


def content_blocks(body: Body) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Every block a cache point may stand among, with where it is: tools, system, messages."""
    for at, tool in enumerate((body.get("toolConfig") or {}).get("tools") or []):
        yield f"toolConfig.tools.{at}", tool
    for at, block in enumerate(body.get("system") or []):
        yield f"system.{at}", block
    for at, message in enumerate(body.get("messages") or []):
        for number, block in enumerate(message["content"]):
            yield f"messages.{at}.content.{number}", block


def _check_roles(messages: Sequence[Body]) -> None:
    if not messages or messages[0]["role"] != "user":
        raise RefusedError(
            "A conversation must start with a user message. Try again with a conversation that "
            "starts with a user message."
        )
    roles = [message["role"] for message in messages]
    if any(one == other for one, other in pairwise(roles)):
        raise RefusedError(
            "A conversation must alternate between user and assistant roles. Make sure the "
            "conversation alternates between user and assistant roles and try again."
        )


def _check_texts(where: str, content: Sequence[Body]) -> None:
    if not content:
        raise RefusedError(
            f"The content field in the Message object at {where} is empty. Add a ContentBlock "
            "object to the content field and try again."
        )
    for number, block in enumerate(content):
        if "text" in block and not block["text"].strip():
            raise RefusedError(
                f"The text field in the ContentBlock object at {where}.content.{number} is blank. "
                "Add text to the text field, and try again."
            )


def _check_tools(body: Body) -> None:
    tools = [tool["toolSpec"] for tool in _tools(body) if "toolSpec" in tool]
    for number, spec in enumerate(tools):
        if not _TOOL_NAME.fullmatch(spec["name"]):
            raise RefusedError(
                f"Value '{spec['name']}' at 'toolConfig.tools.{number}.member.toolSpec.name' "
                "failed to satisfy constraint: Member must satisfy regular expression pattern: "
                "[a-zA-Z0-9_-]+ and have length at most 64"
            )
    names = [spec["name"] for spec in tools]
    for name in names:
        if names.count(name) > 1:
            raise RefusedError(f"The toolConfig field contains a duplicate tool name: {name}.")


def _tools(body: Body) -> Sequence[Body]:
    return (body.get("toolConfig") or {}).get("tools") or []


def _check_tool_results(body: Body, messages: Sequence[Body]) -> None:
    used = any("toolUse" in b or "toolResult" in b for m in messages for b in m["content"])
    if used and not _tools(body):
        raise RefusedError(
            "The toolConfig field must be defined when using toolUse and toolResult content blocks."
        )
    asked: set[str] = set()
    for at, message in enumerate(messages):
        given = {
            block["toolResult"]["toolUseId"]
            for block in message["content"]
            if "toolResult" in block
        }
        if given - asked:
            raise RefusedError(
                f"The number of toolResult blocks at messages.{at}.content exceeds the number of "
                "toolUse blocks of previous turn."
            )
        if asked - given:
            raise RefusedError(
                f"Expected toolResult blocks at messages.{at}.content for the following Ids: "
                f"{', '.join(sorted(asked - given))}"
            )
        asked = {b["toolUse"]["toolUseId"] for b in message["content"] if "toolUse" in b}
        if any(not _TOOL_USE_ID.fullmatch(use_id) for use_id in asked):
            raise RefusedError(f"A toolUseId at messages.{at} is not valid.")


def _check_cache_points(body: Body, model: KnownModel) -> None:
    points = [where for where, block in content_blocks(body) if "cachePoint" in block]
    if points and not model.cache_minimum:
        raise RefusedError(
            "You invoked an unsupported model or your request did not allow prompt caching."
        )
    if len(points) > MAX_CACHE_POINTS:
        raise RefusedError(
            f"A maximum of {MAX_CACHE_POINTS} blocks with cache_control may be provided. "
            f"Found {len(points)}."
        )
    for where in points:
        if where.endswith(".0"):
            raise RefusedError(f"{where}: a cachePoint needs content before it.")


def _check_inference(inference: Body) -> None:
    if inference.get("maxTokens", 1) < 1:
        raise RefusedError("inferenceConfig.maxTokens must be at least 1.")
    if not 0 <= inference.get("temperature", 0) <= 1:
        raise RefusedError("inferenceConfig.temperature must be between 0 and 1.")


def _checked_images(messages: Sequence[Body], model: KnownModel) -> tuple[Picture, ...]:
    pictures = []
    for at, message in enumerate(messages):
        for number, block in enumerate(message["content"]):
            if "image" not in block:
                continue
            where = f"messages.{at}.content.{number}.image"
            if message["role"] != "user" or not model.images:
                raise RefusedError(f"{where}: this model doesn't support the image content block.")
            try:
                claimed = f"image/{block['image']['format']}"
                pictures.append(read_picture(block["image"]["source"]["bytes"], claimed))
            except ValueError as error:
                raise RefusedError(f"{where}: {error}") from None
    if len(pictures) > MAX_IMAGES:
        raise RefusedError(f"too many images: {len(pictures)} > {MAX_IMAGES}")
    return tuple(pictures)
