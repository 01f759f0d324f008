"""One turn, from its rows to what follows: gate, assistant, outbox, done, afterwards."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from cloche.channels.channel import Channel
from cloche.channels.parts import Part
from cloche.delivery.apart import apart
from cloche.delivery.costs import ASKED_SECONDS, Costs
from cloche.delivery.excuses import Excuses
from cloche.delivery.files import left_out, readable
from cloche.delivery.gate import Admission, Answering, Gate
from cloche.delivery.inbox import MAX_MESSAGE_BYTES, Inbox, Row
from cloche.delivery.keeping import Keeping
from cloche.delivery.moves import Moves
from cloche.delivery.outbox import Outbox
from cloche.delivery.presence import Watching, typing
from cloche.delivery.replies import Render
from cloche.delivery.rows import Sending
from cloche.delivery.setting_out import set_out
from cloche.delivery.taken import Taken
from cloche.delivery.waits import Sleep
from cloche.errors import HeldElsewhereError, MemoryUnavailableError
from cloche.ids import actor_id, turn_id
from cloche.messages import Message, Reply
from cloche.texts import FALLBACK, say
from cloche.tracing import within
from cloche.turn import Turn, TurnReport, nothing

logger = logging.getLogger(__name__)

MOST_TRIES: Final = 5
"""A turn that was started so often and never ended kills its process: it is given up."""
SHOWN_SECONDS: Final = 5.0
"""What follows a turn waits so long for its reply to be shown."""


class Turns:
    """Runs the turns of one channel; a turn's failure is its own."""

    def __init__(
        self,
        channel: Channel,
        assistant: Answering,
        gate: Gate,
        *,
        inbox: Inbox,
        outbox: Outbox,
        moves: Moves,
        render: Render,
        keeping: Keeping,
        excuses: Excuses,
        sleep: Sleep,
    ) -> None:
        """Take the channel, who answers, who may ask, and where things are kept."""
        self._channel, self._assistant, self._gate = channel, assistant, gate
        self._inbox, self._outbox, self._moves = inbox, outbox, moves
        self._render, self._sleep = render, sleep
        self._keeping, self._excuses = keeping, excuses
        self._costs = Costs(assistant, gate)

    async def run(self, taken: Taken) -> None:
        """Answer a turn's rows, and have them done.

        One that fails stays for the next process, unless it did so often enough.
        """
        try:
            await self._run(taken)
        except HeldElsewhereError:
            raise
        except Exception:
            if taken.rows[0].tries <= MOST_TRIES:
                raise
            logger.exception("channel=%s | a failing turn is given up", self._channel.name)
            await self._done(taken.rows)

    async def _run(self, taken: Taken) -> None:
        if not taken.message.addressed:
            await self._overhear(taken.message)
            return await self._done(taken.rows)
        taken.rows = await self._marked(taken.rows)
        message = taken.message
        # What is due comes as a message of its own: nobody waits for it to be written.
        watching = Watching(self._channel, message.place, nobody=bool(message.due))
        admission = await self._admission(message)
        if not admission.go:
            return await self._refuse(taken, admission)
        await watching.began(message)
        where = self._moves.newest(message.conversation)
        async with typing(self._channel, where, message.thread, self._sleep):
            turn = await self._turn(taken, watching)
        if turn is None:
            return await self._done(taken.rows)
        try:
            await watching.answered(turn)
            with within(turn.span):  # its sending is a part of it
                await self._reply(taken, turn.id, turn.reply)
        finally:  # also of what is broken off here: it was answered, and cost what it cost
            await self._costs.spent(message, turn.report.usage)
        taken.follows = partial(self._follow, message, turn, watching)

    async def _follow(self, message: Message, turn: Turn, watching: Watching) -> None:
        """What a turn that is answered leaves to be done."""
        await watching.followed(await self._costs.afterwards(message, turn))

    async def _marked(self, rows: Sequence[Row]) -> Sequence[Row]:
        """Keep which rows the turn is made of before it starts, where that is not kept yet."""
        first, names = rows[0], tuple(row.name for row in rows)
        if first.members == names and not first.recovered:
            return rows
        marked = replace(first, members=names, tries=first.tries + 1)
        try:
            return [await self._keeping.tried(lambda: self._inbox.write(marked)), *rows[1:]]
        except MemoryUnavailableError as error:
            if isinstance(error, HeldElsewhereError) or error.cause == "closed":
                raise
            return rows  # should it die, it is run again like one that has not begun

    async def _admission(self, message: Message) -> Admission:
        """Whether it goes on; a gate that is broken lets nobody in."""
        try:
            return await self._keeping.until(
                lambda: apart(lambda: self._gate.admit(message), ASKED_SECONDS),
                late=lambda: self._excuses.waiting(message),
            )
        except MemoryUnavailableError:
            raise  # the channel closes: the next process asks again
        except Exception:
            logger.exception("the gate failed, nobody is let in")
            if message.group:
                return Admission(go=False)
            sentence = say("model_failed", await self._language(message))
            return Admission(go=False, reply=Reply(sentence))

    async def _refuse(self, taken: Taken, admission: Admission) -> None:
        """Send what the gate says, or nothing; a group has heard the words all the same."""
        message = taken.message
        if admission.reply is not None:
            id_ = turn_id(message.address, message.place, message.id)
            return await self._reply(taken, id_, admission.reply)
        if message.group:
            await self._overhear(message)
        await self._done(taken.rows)

    async def _turn(self, taken: Taken, watching: Watching) -> Turn | None:
        """The assistant's turn, or one that says in a sentence why there is none.

        None = the person had it stopped.
        """
        first, limits = taken.rows[0], self._channel.limits
        message, many, large = readable(taken.message, limits)
        if first.too_long:
            most = MAX_MESSAGE_BYTES // 1000
            return await self._unanswered(message, "delivery_message_too_long", most=most)
        if first.tries > MOST_TRIES:
            logger.error("channel=%s | a turn that never ended is given up", self._channel.name)
            return await self._unanswered(message, "model_failed")
        if not (many or large):
            return await self._answer(taken, message, watching)
        sentence = left_out(limits, await self._language(message), many=many, large=large)
        if not message.text and not message.attachments:
            return await self._unanswered(message, sentence=sentence)
        turn = await self._answer(taken, message, watching)
        text = turn and "\n\n".join(piece for piece in (turn.reply.text, sentence) if piece)
        return turn and replace(turn, reply=replace(turn.reply, text=text or sentence))

    async def _answer(self, taken: Taken, message: Message, watching: Watching) -> Turn | None:
        """What the assistant answers; a turn that fails is one that says so."""
        taken.answering = answering = asyncio.create_task(
            self._assistant.handle(message, watching.on_delta)
        )
        try:
            await asyncio.wait({answering})
        except asyncio.CancelledError:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
            if answering.cancelled() or answering.exception():
                await self._costs.broke_off(message, "closed")
            else:
                await self._costs.spent(message, answering.result().report.usage)
            raise
        if answering.cancelled() and taken.stopped:
            await self._costs.broke_off(message, "stopped")
            return None
        error = None if answering.cancelled() else answering.exception()
        if answering.cancelled() or error:
            logger.error("channel=%s | a turn failed", self._channel.name, exc_info=error)
            await self._costs.broke_off(message, "internal")
            return await self._unanswered(message, "model_failed")
        return answering.result()

    async def _unanswered(
        self, message: Message, key: str = "", *, sentence: str = "", **slots: object
    ) -> Turn:
        """A turn of one sentence: the host's for ``key``, or the one given."""
        language = await self._language(message)
        return Turn(
            turn_id(message.address, message.place, message.id),
            Reply(sentence or say(key, language, **slots)),
            language,
            nothing,
            TurnReport(failure="internal" if key == "model_failed" else "attachment"),
        )

    async def _reply(self, taken: Taken, id_: str, reply: Reply) -> None:
        """Keep and send a reply; returns when it is shown or has to wait for the platform."""
        message = taken.message
        parts = await set_out(reply, message, id_, self._channel, self._render)
        if not parts and not message.due:  # what is due may be nothing to tell after all
            sentence = say("reply_unseen", await self._language(message))
            reply = replace(reply, text=sentence)
            parts = await set_out(reply, message, id_, self._channel, self._render)
        if not parts:
            return await self._done(taken.rows)
        kept = await self._kept(message, id_, parts, again=taken.rows[0].recovered)
        await self._done(taken.rows)
        for sending in kept:
            sending.settled.set()
        try:
            async with asyncio.timeout(SHOWN_SECONDS):
                await kept[0].tried.wait()
        except TimeoutError:
            logger.info("channel=%s | a reply takes long to send", self._channel.name)

    async def tell(self, message: Message, reply: Reply) -> None:
        """Keep and send what nobody waits for, to where a message would have come from.

        Raises:
            MemoryUnavailableError: the store is closed.
        """
        id_ = turn_id(message.address, message.place, message.id)
        parts = await set_out(reply, message, id_, self._channel, self._render)
        for sending in await self._kept(message, id_, parts, unasked=True) if parts else ():
            sending.settled.set()

    async def _kept(
        self,
        message: Message,
        id_: str,
        parts: Sequence[Part],
        *,
        unasked: bool = False,
        again: bool = False,
    ) -> Sequence[Sending]:
        """Keep a reply's parts, and have them sent once they are settled."""
        door = actor_id(message.address)
        kept = await self._outbox.keep(
            id_,
            message.place,
            parts,
            group=message.group,
            door=door,
            unasked=unasked,
            again=again,
        )
        for sending in kept:
            self._outbox.push(sending)
        return kept

    async def _done(self, rows: Sequence[Row]) -> None:
        """Have a turn's rows done, the marked one last: until then it tells of the others."""
        if len(rows) > 1:
            await asyncio.gather(*map(self._have_done, rows[1:]))
        await self._have_done(rows[0])

    async def _have_done(self, row: Row) -> None:
        await self._keeping.written(lambda: self._inbox.done(row))

    async def _overhear(self, message: Message) -> None:
        try:
            await apart(lambda: self._assistant.overhear(message), ASKED_SECONDS)
        except Exception:
            logger.exception("a group's words were not overheard")

    async def _language(self, message: Message) -> str:
        try:
            return await apart(lambda: self._assistant.language_of(message), ASKED_SECONDS)
        except Exception:
            logger.exception("a person's language was not found out")
            return FALLBACK
