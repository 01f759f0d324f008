"""Tools: typed functions that skills offer to models, and all that a call is given."""

from cloche.tools.bound import BoundTool
from cloche.tools.context import ToolContext
from cloche.tools.tool import Tool, tool

__all__ = ["BoundTool", "Tool", "ToolContext", "tool"]
