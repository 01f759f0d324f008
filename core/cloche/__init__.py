"""Cloche: a host for personal assistants that remember."""

__version__ = "0.1.0"
