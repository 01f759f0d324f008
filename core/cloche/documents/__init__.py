"""JSON and YAML files that authors write, and what is wrong with one, and where."""

from cloche.documents.reading import (
    Document,
    did_you_mean,
    nearest,
    parse_json,
    parse_yaml,
    read_text,
    refuse_irregular,
    shared_resource,
    validate,
)

__all__ = [
    "Document",
    "did_you_mean",
    "nearest",
    "parse_json",
    "parse_yaml",
    "read_text",
    "refuse_irregular",
    "shared_resource",
    "validate",
]
