"""Run what a plugin's author wrote - its import, its hooks - so that a failure is one fault.

Whatever is raised becomes a ``PluginError``; only a Ctrl-C that was really pressed goes through
(``guarding`` sees the signal), a ``KeyboardInterrupt`` that a plugin raises does not. What a plugin
prints meanwhile goes to standard error, because standard output may be somebody's JSON.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Final

from cloche import __version__
from cloche.errors import ClocheError, ManifestError, PluginError, said
from cloche.hookspecs import API_LEVEL
from cloche.plugins.discovery import Found
from cloche.plugins.guarding import ctrl_c_noticed, streams_kept

MAX_REASON_CHARS: Final = 300


def load_module(found: Found) -> ModuleType:
    """Import a plugin's module and see that this host speaks its API level.

    Raises:
        PluginError: it cannot be imported, or needs another API level.
    """
    with isolated(found):
        module = import_module(found.module)
        level = getattr(module, "cloche_api", 1)
        shown = repr(level)
    _require_api_level(found, level, shown)
    return module


@contextlib.contextmanager
def isolated(
    found: Found, hook: str = "", *, through: tuple[type[ClocheError], ...] = ()
) -> Iterator[None]:
    """Turn whatever the block raises into a ``PluginError`` of this plugin (and hook).

    Errors of the types in ``through`` are not the plugin's fault and stay what they are.
    """
    with ctrl_c_noticed() as pressed:
        try:
            with streams_kept():
                yield
        except through:
            raise
        except BaseException as error:  # SystemExit too: a plugin does not end the host
            if pressed:
                raise
            raise _told(found, hook, error) from error


def _told(found: Found, hook: str, error: BaseException) -> PluginError:
    try:
        return _fault(found, hook, error)
    except BaseException:  # what the plugin left behind cannot even be looked at
        remedy = f"Tell the author of {found.distribution}, or uninstall it."
        reason = f"raised {type(error).__name__}."
        return PluginError(found.name, reason, hook=hook, remedy=remedy)


def _fault(found: Found, hook: str, error: BaseException) -> PluginError:
    author = f"Tell the author of {found.distribution}, or uninstall it."
    if isinstance(error, PluginError):
        # Without a hook, what is at fault is known to the error alone: a tool, a skill.
        reason = error.reason if error.hook or hook else f"{error.plugin}: {error.reason}"
        return PluginError(
            found.name, reason, hook=error.hook or hook, remedy=error.remedy or author
        )
    if isinstance(error, ManifestError):
        return PluginError(found.name, str(error), hook=hook, remedy="Mend that file.")
    if isinstance(error, ImportError) and not hook:
        reason, remedy = _import_fault(found, error)
        return PluginError(found.name, reason, remedy=remedy or author)
    # Where a hook is at fault, the error names it before the reason.
    verb = "tried to end the process" if isinstance(error, SystemExit) else "raised"
    what = f"{verb}: {type(error).__name__}{_said(error)}{_where(found, error)}."
    return PluginError(found.name, what if hook else f"its import {what}", hook=hook, remedy=author)


def _import_fault(found: Found, error: ImportError) -> tuple[str, str]:
    """Tell a module that is not there from one that needs something else, or another host."""
    missing = error.name or ""
    again = f"Install {found.distribution} again."
    if isinstance(error, ModuleNotFoundError):
        if missing and f"{found.module}.".startswith(f"{missing}."):
            return f"its module {found.module} is not there.", again
        if missing.split(".")[0] != "cloche":
            return f"it needs {missing or 'a module'}, which is not installed.", again
    if missing.split(".")[0] == "cloche":
        return (
            f"it needs something that cloche {__version__} does not have{_said(error)}.",
            f"Upgrade cloche, or install the {found.distribution} made for this version.",
        )
    return f"its import failed{_said(error)}{_where(found, error)}.", ""


def _require_api_level(found: Found, level: object, shown: str) -> None:
    if isinstance(level, bool) or not isinstance(level, int) or level < 1:
        raise PluginError(
            found.name,
            f"cloche_api is {shown}; it must be a whole number from 1 on.",
            remedy=f"Write `cloche_api = {API_LEVEL}` in {found.module}.",
        )
    if level > API_LEVEL:
        raise PluginError(
            found.name,
            f"it needs plugin API {level}; cloche {__version__} speaks {API_LEVEL}.",
            remedy=f"Upgrade cloche, or install an older {found.distribution}.",
        )


def _said(error: BaseException) -> str:
    text = " ".join(said(error).split())
    return f" ({text[:MAX_REASON_CHARS]})" if text else ""


def _where(found: Found, error: BaseException) -> str:
    """The last line of the plugin's own code that took part, for its author."""
    if isinstance(error, SyntaxError) and error.filename:
        return f" in {Path(error.filename).name}:{error.lineno}"
    module = sys.modules.get(found.module.split(".")[0])
    # Not asked for as an attribute: the module's author may have written __getattr__.
    folders = vars(module).get("__path__", ()) if isinstance(module, ModuleType) else ()
    roots = [str(path) for path in folders] or [found.module]
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename[:1] != "<"]
    own = [f for f in frames if any(root in f.filename for root in roots)] or frames
    return f" in {Path(own[-1].filename).name}:{own[-1].lineno}" if own else ""
