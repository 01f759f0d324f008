"""Tools: typed functions that skills offer to models, and all that a call is given."""

from cloche.tools.tool import BoundTool, Tool, ToolContext, tool

__all__ = ["BoundTool", "Tool", "ToolContext", "tool"]
