"""Plugins: found by entry point, each isolated, each told in one row.

``discovery`` reads which entry points there are and imports nothing; ``loading`` imports a
module; ``facade`` calls its hooks and checks what they return; ``names`` sees who brings a name
twice; ``host`` is what the rest of the program asks. Only this package touches pluggy and
importlib_metadata.
"""

from cloche.plugins.host import Host, load_host
from cloche.plugins.provided import Provided
from cloche.plugins.rows import PluginRow

__all__ = ["Host", "PluginRow", "Provided", "load_host"]
