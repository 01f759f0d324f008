"""Channels that come with Cloche: one module or folder each, found by entry point."""
