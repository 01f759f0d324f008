"""Sprout: a gardening assistant."""
