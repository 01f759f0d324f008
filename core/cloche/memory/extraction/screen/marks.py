"""What only machines write: role markers, tool calls, the fences of a prompt."""

from __future__ import annotations

import re
from typing import Final

MARKS: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"<\|?/?(?:im_start|im_end|system|endoftext|eot|begin_of_text)",
        r"<\s*\|[^|<>\n]{1,40}\|\s*>|<(?:start|end)_of_turn>",
        r"<\s*/?\s*(?:memory|profile|now|language|earlier|group|last-time|note|tool[\w-]*|function[\w-]*"
        r"|invoke|parameter|system|assistant|instructions?|antml)\b[^>]*>",
        r"\[/?(?:inst|sys|system|assistant)\]|<<sys>>",
        r"^\W{0,4}(?:system|assistant|developer|tool|human|ai|user|sistema|asistente|usuario"
        r"|系统|助手|助理|用户)\W{0,2}[:>]",
        r"^#{2,}\s*(?:system|instructions?|sistema|instrucciones|系统|指令)\b",
        r"\{\s*[\"'](?:name|tool|function|role|arguments)[\"']\s*:",
        r"(?:```|~~~)\s*(?:tool|function)",
    )
)
