"""What a message holds: the words, the files, and things that are neither in a few words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cloche.messages import Attachment
from cloche.texts import say
from cloche_channels.telegram.fields import Fields
from cloche_channels.telegram.formatting import entities_in, with_addresses, without_calls

COMMAND: Final = re.compile(r"[/／][^\W_]\w*(?:@(?P<bot>\w+))?(?:\s|$)")
MAX_FILE_BYTES: Final = 20_000_000
"""A bot fetches files of 20 MB (https://core.telegram.org/bots/api#getfile), not said of which MB:
the smaller."""
MAX_SENT_BYTES: Final = 50_000_000
"""A bot sends files of up to 50 MB (https://core.telegram.org/bots/api#senddocument)."""

_FILES: Final = {  # first that matches: an animation comes as a document, too
    "animation": "video/mp4",
    "video": "video/mp4",
    "video_note": "video/mp4",
    "voice": "audio/ogg",
    "audio": "audio/mpeg",
    "document": "",
}
"""Kinds of files, and their media type where the platform names none."""

_SERVICE: Final = frozenset(
    {
        "new_chat_members", "new_chat_member", "left_chat_member", "new_chat_title",
        "new_chat_photo", "delete_chat_photo", "group_chat_created", "supergroup_chat_created",
        "channel_chat_created", "message_auto_delete_timer_changed", "migrate_to_chat_id",
        "migrate_from_chat_id", "pinned_message", "successful_payment", "refunded_payment",
        "users_shared", "user_shared", "chat_shared", "connected_website", "write_access_allowed",
        "passport_data", "proximity_alert_triggered", "boost_added", "chat_background_set",
        "chat_owner_changed", "chat_owner_left", "checklist_tasks_done", "checklist_tasks_added",
        "direct_message_price_changed", "paid_message_price_changed", "forum_topic_created",
        "forum_topic_edited", "forum_topic_closed", "forum_topic_reopened",
        "general_forum_topic_hidden", "general_forum_topic_unhidden", "gift", "unique_gift",
        "gift_upgrade_sent", "giveaway", "giveaway_created", "giveaway_winners",
        "giveaway_completed", "managed_bot_created", "poll_option_added", "poll_option_deleted",
        "suggested_post_approved", "suggested_post_approval_failed", "suggested_post_declined",
        "suggested_post_paid", "suggested_post_refunded", "video_chat_scheduled",
        "video_chat_started", "video_chat_ended", "video_chat_participants_invited",
        "voice_chat_scheduled", "voice_chat_started", "voice_chat_ended",
        "voice_chat_participants_invited", "web_app_data",
    }
)  # fmt: skip
"""What a chat says of itself; nobody wrote it (https://core.telegram.org/bots/api#message)."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a message holds.

    Attributes:
        words: Text or caption; the addresses of links that stand behind words are beside them.
        formatted: The same as Markdown; "" where nobody formatted it.
        files: What can be fetched.
        shown: What stands for a thing without words: nobody wrote it.
    """

    words: str = ""
    formatted: str = ""
    files: tuple[Attachment, ...] = ()
    shown: str = ""


def content_of(
    message: Fields, language: str, calls: Sequence[tuple[int, int]] = ()
) -> Content | None:
    """What a message holds; None for what nobody wrote.

    Args:
        message: The message.
        language: Of the words that stand for a thing.
        calls: Where the words name whom they are for.
    """
    words, formatted = written(message, calls)
    files = _files_of(message)
    if words or files or calls:
        return Content(words, formatted, files)
    if any(name in message for name in _SERVICE):
        return None
    return Content(shown=_described(message, language))


def summary_of(message: Fields, language: str) -> str:
    """A message in words, for where it is only quoted: its files by their kind."""
    plain, formatted = written(message)
    words = formatted or plain
    if "photo" in message:
        kind = say("telegram_photo", language)
    elif file := _file_of(message):
        kind = say("telegram_file", language, name=file.name or file.media_type)
    else:
        return words or _described(message, language)
    return f"{kind} {words}".rstrip()


def written(message: Fields, calls: Sequence[tuple[int, int]] = ()) -> tuple[str, str]:
    """Text or caption letter by letter, and with the sender's formatting as Markdown; "" = none.

    A command has none: what stands in it in another type, a code that was copied, is part of it.
    """
    name, marks = ("text", "entities") if "text" in message else ("caption", "caption_entities")
    text = message.text(name)
    entities = entities_in(text, message.objects(marks))
    if calls:
        text, entities = without_calls(text, entities, calls)
    if not entities or COMMAND.match(text.lstrip()):
        return text, ""
    from cloche.channels import to_markdown

    formatted = to_markdown(text, entities)
    plain = with_addresses(text, entities)
    return plain, "" if formatted == plain else formatted


def _files_of(message: Fields) -> tuple[Attachment, ...]:
    if "photo" in message:
        photo = _photo_of(message)
        return (photo,) if photo else ()
    file = _file_of(message)
    return (file,) if file else ()


def _photo_of(message: Fields) -> Attachment | None:
    """The largest form of a picture that may be fetched; else the smallest, to tell its size."""
    forms = [form for form in message.objects("photo") if form.text("file_id")]
    if not forms:
        return None
    forms.sort(key=lambda form: (form.integer("width") or 0) * (form.integer("height") or 0))
    fitting = [form for form in forms if (form.integer("file_size") or 0) <= MAX_FILE_BYTES]
    form = fitting[-1] if fitting else forms[0]
    return Attachment(form.text("file_id"), media_type="image/jpeg", size=form.integer("file_size"))


def _file_of(message: Fields) -> Attachment | None:
    for kind, media_type in _FILES.items():
        file = message.object(kind)
        if file and file.text("file_id"):
            return Attachment(
                file.text("file_id"),
                name=file.text("file_name"),
                media_type=file.text("mime_type") or media_type,
                size=file.integer("file_size"),
            )
    return None


def _described(message: Fields, language: str) -> str:
    """A thing without words, in a few; what is not known says that it cannot be read."""
    if thing := message.object("sticker"):
        return say("telegram_sticker", language, emoji=thing.text("emoji") or "?")
    if thing := message.object("venue"):
        place = f"{thing.text('title')}, {thing.text('address')}".strip(", ")
        return say("telegram_location", language, place=f"{place}, {_spot(thing)}")
    if "location" in message:
        return say("telegram_location", language, place=_spot(message))
    if thing := message.object("contact"):
        name = f"{thing.text('first_name')} {thing.text('last_name')}".strip()
        return say("telegram_contact", language, name=name, phone=thing.text("phone_number"))
    if thing := message.object("poll"):
        options = ", ".join(option.text("text") for option in thing.objects("options"))
        return say("telegram_poll", language, question=thing.text("question"), options=options)
    if thing := message.object("dice"):
        value = thing.integer("value") or 0
        return say("telegram_dice", language, emoji=thing.text("emoji"), value=value)
    if thing := message.object("checklist"):
        tasks = ", ".join(task.text("text") for task in thing.objects("tasks"))
        return say("telegram_checklist", language, title=thing.text("title"), tasks=tasks)
    return say("telegram_unknown", language)


def _spot(holder: Fields) -> str:
    location = holder.object("location")
    if location is None:
        return "?"
    latitude, longitude = location.number("latitude"), location.number("longitude")
    return f"{latitude or 0:.5f}, {longitude or 0:.5f}"
