"""From an update of the Bot API to what the host knows. Pure.

Ids stand where ``POINTERS`` says, so that whoever reads a request by those alone agrees.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from cloche.channels import Document, Incoming, Left, Moved, Pointers, read_id
from cloche.messages import Address, Message, Quoted
from cloche_channels.telegram.content import COMMAND, Content, content_of, summary_of
from cloche_channels.telegram.fields import Fields
from cloche_channels.telegram.formatting import marked, span_of

NAME: Final = "telegram"
UPDATES: Final = ("message", "edited_message", "callback_query", "my_chat_member")
"""What is asked for; posts of channels, reactions, polls and payments are not."""

POINTERS: Final = Pointers(
    update=("/update_id",),
    conversation=(
        "/message/chat/id",
        "/edited_message/chat/id",
        "/callback_query/message/chat/id",
        "/my_chat_member/chat/id",
    ),
    # Who writes as a group or channel shares one user id with everybody who does so.
    sender=(
        "/message/sender_chat/id",
        "/edited_message/sender_chat/id",
        "/message/from/id",
        "/edited_message/from/id",
        "/callback_query/from/id",
        "/my_chat_member/from/id",
    ),
    burst=("/message/media_group_id",),
)


@dataclass(frozen=True, slots=True)
class Bot:
    """Who the channel is on the platform; "" = its user name is not known yet."""

    id: int
    username: str = ""


def parse_update(document: Document, bot: Bot) -> tuple[Incoming, ...]:
    """What an update holds; nothing for what is no message to the assistant.

    Raises:
        RequestError: it is no update, or an id in it is missing; says where.
    """
    update = Fields(document)
    id_ = update.id("update_id")
    if "message" in update:
        burst = read_id(POINTERS.burst, document) or ""
        found = _message(id_, update.needed("message"), bot, burst=burst)
    elif "edited_message" in update:
        found = _message(id_, update.needed("edited_message"), bot, edits=True)
    elif "callback_query" in update:
        found = _press(id_, update.needed("callback_query"))
    elif "my_chat_member" in update:
        found = _membership(id_, update.needed("my_chat_member"))
    else:
        found = None
    return () if found is None else (found,)


def pressed(document: Document) -> str:
    """The id of the callback query an update is, which wants an answer; "" = it is none."""
    query = Fields(document).object("callback_query")
    return query.text("id") if query else ""


def _message(
    update: str, message: Fields, bot: Bot, *, edits: bool = False, burst: str = ""
) -> Incoming | None:
    chat = message.needed("chat")
    if chat.text("type") == "channel" or message.flag("is_automatic_forward"):
        return None
    if moved := _moved(update, message, chat):
        return moved
    sender = message.object("sender_chat") or message.object("from")
    if sender is None or sender.flag("is_bot"):
        return None  # two assistants would answer each other for ever
    if edits and "location" in message:
        return None  # somebody who shares where they walk: an edit every few seconds
    language = (message.object("from") or sender).text("language_code")
    forwarded = message.object("forward_origin")
    group = chat.text("type") != "private"
    calls = _calls(message, bot) if group and forwarded is None else ()
    # An admin who stays unnamed, or a channel, may be anybody: nobody who could be answered.
    named = "sender_chat" not in message
    addressed = not group or (named and _addressed(message, bot, calls, forwarded is not None))
    content = content_of(message, language, calls if addressed else ())
    if content is None:
        return None
    return Message(
        id=update,
        address=Address(NAME, sender.id("id")),
        conversation=chat.id("id"),
        text="" if forwarded else content.words,
        formatted="" if forwarded else content.formatted,
        attachments=content.files,
        sender_name=_name(sender),
        group=group,
        sent_at=_instant(message, edits=edits),
        thread=_thread(message),
        ref=message.id("message_id"),
        edits=edits,
        burst=burst,
        addressed=addressed,
        quoted=_quoted(message, content, bot, language),
        language=language,
    )


def _press(update: str, query: Fields) -> Message | None:
    """A button under a message of ours: its data is what the person says."""
    message, data = query.object("message"), query.text("data")
    if message is None or not data:
        return None  # under an inline message or a game: none of ours
    chat, sender = message.needed("chat"), query.needed("from")
    if chat.text("type") == "channel":
        return None
    return Message(
        id=update,
        address=Address(NAME, sender.id("id")),
        conversation=chat.id("id"),
        text=data,
        sender_name=_name(sender),
        group=chat.text("type") != "private",
        thread=_thread(message),
        language=sender.text("language_code"),
    )


def _membership(update: str, change: Fields) -> Left | None:
    """Blocked, thrown out or left; a return needs nothing, the next message tells of it."""
    chat, now = change.needed("chat"), change.object("new_chat_member")
    if chat.text("type") == "channel" or now is None:
        return None
    gone = now.text("status") in ("kicked", "left")
    return Left(update, chat.id("id")) if gone else None


def _moved(update: str, message: Fields, chat: Fields) -> Moved | None:
    """A group became a supergroup: told in the old chat and in the new one."""
    if "migrate_to_chat_id" in message:
        return Moved(update, chat.id("id"), message.id("migrate_to_chat_id"))
    if "migrate_from_chat_id" in message:
        return Moved(update, message.id("migrate_from_chat_id"), chat.id("id"))
    return None


def _thread(message: Fields) -> str:
    """The topic; a chain of replies in a plain supergroup has a thread id, too, and is none."""
    return message.id("message_thread_id") if message.flag("is_topic_message") else ""


def _reply(message: Fields) -> Fields | None:
    """What a message answers; in a topic everything else "answers" the message that opened it."""
    reply = message.object("reply_to_message")
    return None if reply is None or "forum_topic_created" in reply else reply


def _calls(message: Fields, bot: Bot) -> tuple[tuple[int, int], ...]:
    """Where a message names us, in code points."""
    name, marks = ("text", "entities") if "text" in message else ("caption", "caption_entities")
    text = message.text(name)
    return tuple(
        span_of(text, mark)
        for mark in message.objects(marks)
        if ((user := mark.object("user")) and user.integer("id") == bot.id)
        or (mark.text("type") == "mention" and _is_us(marked(text, mark)[1:], bot))
    )


def _addressed(
    message: Fields, bot: Bot, calls: tuple[tuple[int, int], ...], forwarded: bool
) -> bool:
    """Whether a group's message is for us: a command, an answer to us, or it names us."""
    text = message.text("text" if "text" in message else "caption")
    if (command := COMMAND.match(text)) and not forwarded:
        return command["bot"] is None or _is_us(command["bot"], bot)
    reply = _reply(message)
    author = reply.object("from") if reply else None
    return bool(calls) or (author is not None and author.integer("id") == bot.id)


def _is_us(username: str, bot: Bot) -> bool:
    return bool(bot.username) and username.casefold() == bot.username.casefold()


def _quoted(message: Fields, content: Content, bot: Bot, language: str) -> tuple[Quoted, ...]:
    """What a message passes on and what it answers."""
    quoted: list[Quoted] = []
    if origin := message.object("forward_origin"):
        words = content.formatted or content.words or content.shown or summary_of(message, language)
        quoted.append(Quoted(words, _origin(origin), forwarded=True))
    elif content.shown:
        quoted.append(Quoted(content.shown, shown=True))
    selected = message.object("quote")
    reply = _reply(message)
    if reply:
        author = reply.object("from") or reply.object("sender_chat")
        words = selected.text("text") if selected else summary_of(reply, language)
        own = author is not None and author.integer("id") == bot.id
        quoted.append(Quoted(words, _name(author), own=own))
    elif selected and (outside := message.object("external_reply")):
        quoted.append(Quoted(selected.text("text"), _origin(outside.object("origin"))))
    return tuple(each for each in quoted if each.text)


def _origin(origin: Fields | None) -> str:
    """Who wrote what is passed on, as far as Telegram says."""
    if origin is None:
        return ""
    known = origin.object("sender_user") or origin.object("sender_chat") or origin.object("chat")
    return origin.text("sender_user_name") or _name(known)


def _name(who: Fields | None) -> str:
    if who is None:
        return ""
    name = f"{who.text('first_name')} {who.text('last_name')}".strip()
    return name or who.text("title")


def _instant(message: Fields, *, edits: bool) -> datetime | None:
    seconds = (message.integer("edit_date") if edits else None) or message.integer("date")
    if seconds is None or not 0 < seconds < 2**40:
        return None
    return datetime.fromtimestamp(min(seconds, 253_402_300_799), UTC)
