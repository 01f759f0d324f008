"""What people command with a slash: read, and answered without a model."""

from cloche.chat_commands.running import NAMES, Command, parse_command, run_command

__all__ = ["NAMES", "Command", "parse_command", "run_command"]
