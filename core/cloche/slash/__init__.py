"""Chat commands as people write them: their names in each language, and the menu of them."""

from cloche.slash.names import NAMES, SPELLINGS, Command, own_name, own_words, parse_command

__all__ = ["NAMES", "SPELLINGS", "Command", "own_name", "own_words", "parse_command"]
