"""Agents: who turns a prompt into an answer."""
