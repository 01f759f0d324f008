"""Reminders: when they are due (pure), where they are kept, and how they reach a person."""
