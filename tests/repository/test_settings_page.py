"""docs/settings.md lists every setting as it is."""

from __future__ import annotations

from pathlib import Path

from cloche.settings import Setting, known_settings

PAGE = Path(__file__).parents[2] / "docs" / "settings.md"
HEAD = "| variable | in `cloche.toml` | default | meaning |\n|---|---|---|---|\n"


def row(setting: Setting) -> str:
    default = f"`{setting.default}`" if setting.default else ""
    return f"| `{setting.variable}` | `{setting.key}` | {default} | {setting.description} |\n"


def test_the_page_lists_every_setting_as_it_is() -> None:
    table = HEAD + "".join(map(row, known_settings()))
    page = PAGE.read_text("utf-8")
    assert table in page, f"the table in docs/settings.md should be:\n\n{table}"
    assert page.count("\n| `") == len(known_settings()), "the page has rows of its own"
