"""What the page itself says, in every language the host speaks."""

from __future__ import annotations

from typing import Final

from cloche.texts import FALLBACK, languages, say

SENTENCES: Final = tuple(
    """
    chat memory language theme theme_auto theme_light theme_dark skip locked locked_hint
    hello hello_nobody hello_hint talk write send stop attach drop remove_file you files_of waiting
    writing
    stopped unanswered new_talk latest memory_away connection error_sending error_empty error_file
    error_file_empty error_kept save_file error_file_large error_files error_memory error_internal
    error_session error_record error_reminder error_language error_unkept_empty error_unkept_long
    error_unkept_same error_unkept_secret error_unkept_instruction remembering taken_back
    skip_content
    search past export empty nothing_found count count_found said inferred until was quote told why
    why_hide correct correct_text correct_save cancel corrected forget forget_title
    forget_text forgotten other scope_long_term scope_episodic scope_personal about ended
    commands picture kind_preference kind_rule kind_fact kind_decision kind_warning kind_note
    kind_summary kind_task_state
    reminders reminders_empty reminders_count reminders_told reminders_coming reminder_told
    reminder_next reminder_then reminder_paused reminder_done reminder_snooze reminder_skip
    reminder_cancel reminder_cancel_title reminder_cancel_text reminder_keep reminder_cancelled
    """.split()
)
"""Keys in the texts, after ``web_``."""
SLOTS: Final = ("name", "owner", "count", "total", "day", "limit", "text", "when")
"""Filled in by the page."""


def page_texts(language: str) -> dict[str, str]:
    """Every sentence of the page; slots stand as ``{name}``."""
    slots = {slot: f"{{{slot}}}" for slot in SLOTS}
    return {key: say(f"web_{key}", language, **slots) for key in SENTENCES}


def page_languages() -> list[dict[str, str]]:
    """The languages to choose from, each by its own name; the fallback first."""
    codes = sorted(languages(), key=lambda code: (code != FALLBACK, code))
    return [{"code": code, "name": say("web_language_name", code)} for code in codes]
