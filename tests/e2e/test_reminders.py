"""Reminders in talk: set in three languages, confirmed from the store, told, and answered."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from cloche.assembly import open_assistant
from cloche.assistant import Assistant
from cloche.documents import shared_resource
from cloche.errors import ToolError
from cloche.memory.holdings import read_holdings
from cloche.messages import Address, Due, Message
from cloche.plugins import load_host
from cloche.reminders.for_tools import PersonReminders, TurnReminders
from cloche.reminders.reminder import Place
from cloche.reminders.reminding import Reminding
from cloche.reminders.schedule import Calendar
from cloche.settings import Settings
from cloche.testing import FakeAgent
from cloche.tools.settings import PersonToolSettings

if TYPE_CHECKING:
    from conftest import Chat, FakeClock

    from cloche.reminders.reminder import Reminder
    from cloche.turn import Turn

REMINDERS = Path(str(shared_resource("skills"))) / "reminders"


@pytest.fixture
async def opened(
    luthier: Callable[..., None], tmp_path: Path, clock: FakeClock
) -> AsyncIterator[Callable[..., object]]:
    """The assistant with the shared skill."""
    open_ones: list[Assistant] = []

    async def open_(**other: object) -> Assistant:
        chosen = Settings(home=tmp_path / "home", time_zone="UTC")
        one = await open_assistant(
            load_host(chosen),
            "luthier",
            chosen,
            clock=clock,
            extra_skills=(REMINDERS,),
            **other,  # type: ignore[arg-type]
        )
        open_ones.append(one)
        return one

    yield open_
    for one in open_ones:
        await one.close()


@pytest.fixture
async def assistant(opened: Callable[..., object]) -> Assistant:
    return await opened()  # type: ignore[misc,no-any-return]


@pytest.fixture
async def ana(assistant: Assistant, chat: Callable[..., Chat]) -> Chat:
    """Somebody in Oslo, where it is ten on a Monday."""
    ana = chat(assistant, "ana", channel="telegram")
    await ana.say("/timezone Europe/Oslo")
    return ana


async def kept(chat: Chat) -> Sequence[Reminder]:
    return await chat.assistant.memory.reminders.list(f"telegram_-{chat.sender}")


async def due(chat: Chat, reminder: Reminder, at: datetime, **other: object) -> Turn:
    """The turn that the runner has run."""
    message = Message(
        f"reminder/{reminder.id}/{at.isoformat()}",
        Address("telegram", chat.sender),
        chat.sender,
        "",
        due=(Due(reminder.id, at, **other),),  # type: ignore[arg-type]
    )
    await chat.assistant.memory.reminders.claim(reminder.actor, reminder.id, at)
    turn = await chat.assistant.handle(message)
    await turn.afterwards()
    return turn


@pytest.mark.parametrize(
    ("said", "confirmed"),
    [
        (
            "Remind me to oil the pegs every other Sunday at 9",
            "⏰ “oil the pegs”: Sunday 8 March 2026, 09:00, then Sunday 22 March 2026, 09:00 "
            "(Europe/Oslo).",
        ),
        (
            "Remind me in 20 minutes to turn off the glue pot",
            "⏰ “turn off the glue pot”: Monday 2 March 2026, 10:20 (Europe/Oslo).",
        ),
        (
            "remind me tomorrow to call Bo at 8",
            "⏰ “call Bo”: Tuesday 3 March 2026, 08:00 (Europe/Oslo).",
        ),
        (
            "Recuérdame regar las plantas mañana a las ocho",
            "⏰ «regar las plantas»: martes 3 de marzo de 2026, 08:00 (Europe/Oslo).",
        ),
        (
            "Recuérdame en veinte minutos apagar el horno",
            "⏰ «apagar el horno»: lunes 2 de marzo de 2026, 10:20 (Europe/Oslo).",
        ),
        (
            "每周一早上七点提醒我给琴换弦",
            "⏰ “给琴换弦”：2026年3月9日星期一 07:00，之后是2026年3月16日星期一 07:00"
            "（Europe/Oslo）。",
        ),
        (
            "20分钟后提醒我关火",
            "⏰ “关火”：2026年3月2日星期一 10:20（Europe/Oslo）。",
        ),
    ],
)
async def test_a_reminder_is_confirmed_from_what_is_kept(
    ana: Chat, said: str, confirmed: str
) -> None:
    turn = await ana.say(said)
    assert turn.reply.text.endswith(confirmed)
    assert len(await kept(ana)) == 1


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Remind me to eat on 30 February at 9", "I can't tell when"),
        ("Remind me to eat on 2020-01-01 at 9", "is over already"),
        ("Remind me to eat tomorrow", "At what time?"),
        ("Remind me on Wednsday at 9 to eat", "when “on Wednsday” is"),
        ("Remind me every quarter at 9 to pay tax", "when “every quarter” is"),
        ("Remind me to eat at 9 unless it rains", "when “unless it rains” is"),
        ("Recuérdame el miérocles a las 9 comer", "cuándo es «el miérocles»"),
        ("名天九点提醒我吃饭", "看不出“名天"),
        ("Remind me to eat", "When shall I remind you?"),
        ("Remind me to eat yesterday at 9", "That time is over"),
        ("Recuérdame comer ayer a las 9", "Ese momento ya pasó"),
        ("昨天早上九点提醒我吃饭", "已经过去了"),
        ("Recuérdame comer el 30 de febrero a las 9", "No sé cuándo es"),
        ("Recuérdame comer mañana", "¿A qué hora?"),
        ("2020-01-01早上九点提醒我吃饭", "已经过去了"),
        ("明天提醒我吃饭", "几点呢？"),
    ],
)
async def test_what_is_no_time_to_come_sets_nothing_and_says_so(
    ana: Chat, said: str, told: str
) -> None:
    turn = await ana.say(said)
    assert told in turn.reply.text
    assert "⏰" not in turn.reply.text
    assert not await kept(ana)


@pytest.mark.parametrize(
    ("asked", "command", "told", "zone"),
    [
        (
            "Remind me tomorrow at 9 to string the lute",
            "/timezone",
            "I live in Lima",
            "America/Lima",
        ),
        (
            "Recuérdame mañana a las 9 encordar el laúd",
            "/zona",
            "Nueva York",
            "America/New_York",
        ),
        ("明天早上九点提醒我调琴", "/时区", "我住在北京", "Asia/Shanghai"),
    ],
)
async def test_the_answer_to_the_question_of_the_zone_is_taken_and_the_reminder_set(
    assistant: Assistant,
    chat: Callable[..., Chat],
    asked: str,
    command: str,
    told: str,
    zone: str,
) -> None:
    bo = chat(assistant, "bo", channel="telegram")
    assert command in (await bo.say(asked)).reply.text
    turn = await bo.say(told)
    assert "⏰" in turn.reply.text
    assert zone in turn.reply.text
    (reminder,) = await kept(bo)
    assert reminder.schedule.zone == zone  # type: ignore[union-attr]


async def test_the_time_zone_is_asked_for_once_and_remembered(
    assistant: Assistant, chat: Callable[..., Chat]
) -> None:
    bo = chat(assistant, "bo", channel="telegram")
    asked = await bo.say("remind me to eat tomorrow at 7:26")
    assert "which city" in asked.reply.text
    assert not await kept(bo)
    assert "⏰" in (await bo.say("remind me in 2 minutes to eat")).reply.text  # needs no zone
    await bo.say("my time zone is Bangkok")
    told = await bo.say("remind me to drink tomorrow at 7:26")
    assert "Tuesday 3 March 2026, 07:26 (Asia/Bangkok)" in told.reply.text
    assert (await kept(bo))[-1].next == datetime(2026, 3, 3, 0, 26, tzinfo=UTC)


async def test_in_two_minutes_is_two_minutes_wherever_somebody_lives(ana: Chat) -> None:
    await ana.say("/timezone Asia/Singapore")
    before = ana.clock() + timedelta(seconds=20)
    await ana.say("remind me in 2 minutes to drink")
    assert (await kept(ana))[0].next == before + timedelta(minutes=2)


async def test_nine_stays_nine_when_clocks_change(ana: Chat) -> None:
    await ana.say("remind me every Sunday at 9 to rest")
    (reminder,) = await kept(ana)
    hours = [at.hour for at in reminder.coming(6)]
    assert hours == [8, 8, 8, 7, 7, 7]  # summer time begins on 29 March


async def test_said_twice_it_is_told_once(ana: Chat) -> None:
    for _ in range(2):
        await ana.say("Remind me to oil the pegs tomorrow at 9")
    assert len(await kept(ana)) == 1


async def test_the_fifty_first_is_refused_in_words(ana: Chat) -> None:
    for number in range(60):
        turn = await ana.say(f"remind me in {number + 30} minutes to do thing {number}")
        assert ("⏰" in turn.reply.text) == (number < 50)
    assert "50 reminders already" in turn.reply.text
    assert len(await kept(ana)) == 50


async def test_listed_changed_and_cancelled(ana: Chat) -> None:
    await ana.say("remind me to oil the pegs tomorrow at 9")
    await ana.say("remind me to tune the lute tomorrow at 10")
    listed = await ana.say("what reminders do I have?")
    assert "“oil the pegs”: Tuesday 3 March 2026, 09:00" in listed.reply.text
    moved = await ana.say("move the reminder to oil the pegs to tomorrow at 11")
    assert "⏰ Changed: “oil the pegs”: Tuesday 3 March 2026, 11:00" in moved.reply.text
    unclear = await ana.say("cancel the reminder to the")
    assert "Several reminders fit" in unclear.reply.text
    gone = await ana.say("cancel the reminder to tune the lute")
    assert "⏰ Cancelled: “tune the lute”." in gone.reply.text
    assert [one.text for one in await kept(ana)] == ["oil the pegs"]


@pytest.mark.parametrize(
    ("set_", "move", "hour"),
    [
        ("remind me every Sunday at 9 to rest", "move the reminder to rest to 20:00", "20"),
        ("remind me every Sunday at 9 to rest", "move the reminder to rest to 8 pm", "20"),
        (
            "Recuérdame cada domingo a las 9 descansar",
            "cambia el recordatorio de descansar a las ocho de la tarde",
            "20",
        ),
        ("每周日早上九点提醒我休息", "把休息的提醒改到晚上八点", "20"),
    ],
)
async def test_what_repeats_is_moved_to_another_hour_and_still_repeats(
    ana: Chat, set_: str, move: str, hour: str
) -> None:
    await ana.say(set_)
    (before,) = await kept(ana)
    moved = await ana.say(move)
    (after,) = await kept(ana)
    assert "⏰" in moved.reply.text
    assert isinstance(before.schedule, Calendar)
    assert isinstance(after.schedule, Calendar)
    assert dict(after.schedule.parts) == {**before.schedule.parts, "BYHOUR": hour}


@pytest.mark.parametrize(
    ("set_", "move", "told"),
    [
        (
            "remind me to stretch on Friday at 6 pm",
            "Move the stretch reminder to 7",
            "⏰ Changed: “stretch”: Friday 6 March 2026, 19:00",
        ),
        (
            "remind me to stretch on Friday at 6 pm",
            "Can you change my stretch reminder to Saturday?",
            "⏰ Changed: “stretch”: Saturday 7 March 2026, 18:00",
        ),
        (
            "remind me to stretch every day at 18:00",
            "move the stretch reminder to 7",
            "⏰ Changed: “stretch”: Monday 2 March 2026, 19:00",
        ),
        (
            "remind me to stretch on Friday at 6 pm",
            "reschedule the reminder for stretch to tomorrow at 9",
            "⏰ Changed: “stretch”: Tuesday 3 March 2026, 09:00",
        ),
        (
            "Recuérdame regar mañana a las ocho",
            "cambia el recordatorio de regar a las nueve",
            "⏰ Cambiado: «regar»: martes 3 de marzo de 2026, 09:00",
        ),
        (
            "Recuérdame regar mañana a las ocho",
            "¿Puedes cambiar el recordatorio de regar a las 20:30?",
            "⏰ Cambiado: «regar»: martes 3 de marzo de 2026, 20:30",
        ),
        (
            "明天早上八点提醒我浇水",
            "把浇水的提醒改到九点",
            "⏰ 已更改：“浇水”：2026年3月3日星期二 09:00",
        ),
        (
            "明天早上八点提醒我浇水",
            "请把浇水的提醒推迟到后天",
            "⏰ 已更改：“浇水”：2026年3月4日星期三 08:00",
        ),
    ],
)
async def test_it_is_moved_in_the_words_people_use(
    ana: Chat, set_: str, move: str, told: str
) -> None:
    await ana.say(set_)
    assert told in (await ana.say(move)).reply.text
    assert len(await kept(ana)) == 1


@pytest.mark.parametrize(
    ("said", "text", "local"),
    [
        ("add a reminder to rest at 8 pm", "rest", "02 20:00"),
        ("Set a reminder: rest tomorrow at 9", "rest", "03 09:00"),
        ("set an alarm for 7", "Alarm", "02 19:00"),
        ("set an alarm for 6:30 am", "Alarm", "03 06:30"),
        ("ping me in 20 minutes to check the glue", "check the glue", "02 10:20"),
        ("notify me tomorrow at 9 to rest", "rest", "03 09:00"),
        ("set a daily reminder to rest at 7:30 am", "rest", "03 07:30"),
        ("Could you please remind me to call Bo on Friday at 3pm?", "call Bo", "06 15:00"),
        ("ponme una alarma a las 7 de la tarde", "Alarma", "02 19:00"),
        ("crea un recordatorio para descansar a las 20:00", "descansar", "02 20:00"),
        ("acuérdame de descansar mañana a las 8", "descansar", "03 08:00"),
        ("avísame en 20 minutos", "Alarma", "02 10:20"),
        ("半小时后叫我", "闹钟", "02 10:30"),
        ("设一个明天早上七点的闹钟", "闹钟", "03 07:00"),
        ("定个提醒明天早上七点休息", "休息", "03 07:00"),
        ("请在明天早上七点提醒我休息", "休息", "03 07:00"),
        ("别忘了提醒我明天早上七点休息", "休息", "03 07:00"),
    ],
)
async def test_it_is_set_in_the_words_people_use(
    ana: Chat, said: str, text: str, local: str
) -> None:
    await ana.say(said)
    (reminder,) = await kept(ana)
    assert reminder.text == text
    assert reminder.next is not None
    assert f"{reminder.next.astimezone(ZoneInfo('Europe/Oslo')):%d %H:%M}" == local


@pytest.mark.parametrize(
    ("said", "none"),
    [
        ("cancel all my reminders", "You have no reminders."),
        ("cancela todos mis recordatorios", "No tienes recordatorios."),
        ("取消所有提醒", "你没有提醒。"),
    ],
)
async def test_all_are_cancelled_when_all_is_said(ana: Chat, said: str, none: str) -> None:
    await ana.say("remind me to oil the pegs tomorrow at 9")
    await ana.say("remind me to tune the lute tomorrow at 10")
    await ana.say("check every day at 8 am if anything is due")
    assert (await ana.say(said)).reply.text.count("⏰") == 2
    assert [one.kind for one in await kept(ana)] == ["check"]  # that was agreed to apart
    assert none in (await ana.say(said)).reply.text


@pytest.mark.parametrize(
    ("set_", "cancel", "told"),
    [
        ("remind me to stretch at 6 pm", "cancel the stretch reminder", "Cancelled: “stretch”"),
        ("remind me to stretch at 6 pm", "Delete my reminder for stretch", "Cancelled: “stretch”"),
        ("remind me to stretch at 6 pm", "don't remind me to stretch", "Cancelled: “stretch”"),
        ("Recuérdame regar a las 18:00", "cancela el recordatorio de regar", "Cancelado: «regar»"),
        ("Recuérdame regar a las 18:00", "elimina mi recordatorio de regar", "Cancelado: «regar»"),
        ("Recuérdame regar a las 18:00", "ya no me recuerdes regar", "Cancelado: «regar»"),
        ("下午六点提醒我浇水", "取消浇水的提醒", "已取消：“浇水”"),
        ("下午六点提醒我浇水", "取消浇水提醒", "已取消：“浇水”"),
        ("下午六点提醒我浇水", "把浇水的提醒取消掉", "已取消：“浇水”"),
        ("下午六点提醒我浇水", "不用提醒我浇水了", "已取消：“浇水”"),
    ],
)
async def test_it_is_cancelled_in_the_words_people_use(
    ana: Chat, set_: str, cancel: str, told: str
) -> None:
    await ana.say(set_)
    assert told in (await ana.say(cancel)).reply.text
    assert not await kept(ana)


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        ("remind me to water at 8 and to feed at 9", ["water", "feed"]),
        ("Remind me to water tomorrow at 8 and feed at 9", ["water", "feed"]),
        ("At 8 remind me to water and at 9 to feed", ["water", "feed"]),
        ("Recuérdame regar a las 8 y alimentar a las 9", ["regar", "alimentar"]),
        ("八点提醒我浇水，九点提醒我施肥", ["浇水", "施肥"]),
        ("提醒我明天八点浇水九点施肥", ["浇水", "施肥"]),
    ],
)
async def test_two_in_one_sentence_are_two(ana: Chat, said: str, texts: list[str]) -> None:
    turn = await ana.say(said)
    there = await kept(ana)
    assert [one.text for one in there] == texts
    first, second = (one.next for one in there)
    assert first is not None
    assert second == first + timedelta(hours=1)
    assert turn.reply.text.count("⏰") == 2


async def test_of_two_in_one_sentence_none_is_set_when_one_cannot_be(ana: Chat) -> None:
    turn = await ana.say("remind me to water every minute and to feed at 9")
    assert "every 5 minutes at most" in turn.reply.text
    assert not await kept(ana)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("remind me every minute to blink", "every 5 minutes at most"),
        ("remind me every 2 minutes to blink", "every 5 minutes at most"),
        ("recuérdame cada minuto parpadear", "como mucho puedo avisarte cada 5 minutos"),
        ("每分钟提醒我眨眼", "最多每5分钟提醒一次"),
        ("remind me to eat tomorrow at 5", "in the morning or in the afternoon?"),
        ("recuérdame comer mañana a las 5", "¿de la mañana o de la tarde?"),
        ("明天五点提醒我吃饭", "是早上还是下午"),
    ],
)
async def test_what_nobody_means_is_asked_back(ana: Chat, said: str, told: str) -> None:
    turn = await ana.say(said)
    assert told in turn.reply.text
    assert "⏰" not in turn.reply.text
    assert not await kept(ana)


@pytest.mark.parametrize(
    ("set_", "move", "told"),
    [
        (
            "remind me every Sunday at 9 to rest",
            "move the reminder to rest to tomorrow at 11",
            "comes again and again",
        ),
        (
            "Recuérdame cada domingo a las 9 descansar",
            "cambia el recordatorio de descansar a mañana a las 11",
            "se repite",
        ),
        ("每周日早上九点提醒我休息", "把休息的提醒改到明天早上九点", "重复的提醒"),
    ],
)
async def test_what_repeats_is_not_made_to_come_once_unasked(
    ana: Chat, set_: str, move: str, told: str
) -> None:
    await ana.say(set_)
    before = await kept(ana)
    assert told in (await ana.say(move)).reply.text
    assert await kept(ana) == before


async def test_two_people_have_their_own(ana: Chat, chat: Callable[..., Chat]) -> None:
    bo = chat(ana.assistant, "bo", channel="telegram")
    await bo.say("/timezone Europe/Oslo")
    await ana.say("remind me to oil the pegs tomorrow at 9")
    assert "no reminders" in (await bo.say("what reminders do I have?")).reply.text
    assert "No reminder fits" in (await bo.say("cancel the reminder to oil the pegs")).reply.text
    assert len(await kept(ana)) == 1


@pytest.fixture
def group(ana: Chat, chat: Callable[..., Chat]) -> Chat:
    """A group that Ana writes in."""
    return chat(ana.assistant, "ana", channel="telegram", conversation="-100", group=True)


@pytest.mark.parametrize(
    ("set_", "text", "list_", "none", "cancel"),
    [
        (
            "remind me tomorrow at 9 to take my tablets",
            "take my tablets",
            "what reminders do I have?",
            "You have no reminders.",
            "cancel the reminder to take my tablets",
        ),
        (
            "recuérdame mañana a las 9 tomar mis pastillas",
            "tomar mis pastillas",
            "¿qué recordatorios tengo?",
            "No tienes recordatorios.",
            "cancela el recordatorio de tomar mis pastillas",
        ),
        (
            "明天早上九点提醒我吃药",
            "吃药",
            "我有哪些提醒？",
            "你没有提醒。",
            "取消吃药的提醒",
        ),
    ],
)
async def test_what_was_asked_for_in_private_stays_out_of_a_group(
    ana: Chat, group: Chat, set_: str, text: str, list_: str, none: str, cancel: str
) -> None:
    await ana.say(set_)
    assert text in (await ana.say(list_)).reply.text
    shown = (await group.say(list_)).reply.text
    assert text not in shown
    assert none in shown
    assert "⏰" not in (await group.say(cancel)).reply.text
    await group.say("cancel all my reminders")
    assert [one.text for one in await kept(ana)] == [text]
    # Unless they let what is private be used in groups.
    await ana.assistant.people.choose("telegram_-ana", private_in_groups=True)
    assert text in (await group.say(list_)).reply.text
    assert "⏰" in (await group.say(cancel)).reply.text
    assert not await kept(ana)


async def test_what_was_asked_for_in_a_group_is_in_reach_there_and_in_private(
    ana: Chat, group: Chat, chat: Callable[..., Chat]
) -> None:
    await group.say("remind me tomorrow at 9 to book the hall")
    assert "book the hall" in (await group.say("what reminders do I have?")).reply.text
    assert "book the hall" in (await ana.say("what reminders do I have?")).reply.text
    other = chat(ana.assistant, "ana", channel="telegram", conversation="-200", group=True)
    assert "book the hall" not in (await other.say("what reminders do I have?")).reply.text
    assert "⏰" in (await group.say("cancel the reminder to book the hall")).reply.text


async def test_what_was_told_in_private_is_not_answered_in_a_group(ana: Chat, group: Chat) -> None:
    await ana.say("remind me in 20 minutes to take my tablets")
    (reminder,) = await kept(ana)
    ana.clock.pass_(minutes=20)
    await due(ana, reminder, ana.clock())
    for answer in ("/done", "/skip", "/snooze", f"/snooze {reminder.id[:8]} 30"):
        assert "tablets" not in (await group.say(answer)).reply.text
    assert not await kept(ana)
    assert "take my tablets" in (await ana.say("/done")).reply.text


async def test_a_tool_reaches_no_private_reminder_from_a_group(ana: Chat, group: Chat) -> None:
    await ana.say("remind me tomorrow at 9 to take my tablets")
    (reminder,) = await kept(ana)
    person = await ana.assistant.people.of(_message(group))
    place = Place("telegram", "-100", "ana", group=True)
    turn = TurnReminders(ana.assistant.memory.reminders, person, place, ana.clock)
    theirs = PersonReminders(turn, "call", PersonToolSettings(ana.assistant.people, person))
    assert not await theirs.list()
    with pytest.raises(ToolError, match="another chat"):
        await theirs.cancel(reminder.id)
    with pytest.raises(ToolError, match="another chat"):
        await theirs.change(reminder.id, text="drink")
    assert list(await kept(ana)) == [reminder]
    assert not turn.done


async def test_when_due_it_is_told_with_what_may_be_answered(ana: Chat) -> None:
    await ana.say("remind me in 20 minutes to turn off the glue pot")
    (reminder,) = await kept(ana)
    ana.clock.pass_(minutes=20)
    turn = await due(ana, reminder, ana.clock())
    assert turn.reply.text == "⏰ turn off the glue pot"
    assert [button.label for button in turn.reply.buttons] == ["Done", "In 10 minutes", "Skip"]
    assert all(len(button.data) <= 64 for button in turn.reply.buttons)
    again = await ana.say(turn.reply.buttons[1].data)
    assert "⏰ “turn off the glue pot”: Monday 2 March 2026, 10:31" in again.reply.text
    assert [one.text for one in await kept(ana)] == ["turn off the glue pot"]


@pytest.mark.parametrize(
    ("answer", "gone"),
    [
        ("/done", "Cancelled: “turn off the glue pot”"),
        ("/skip", "Cancelled: “turn off the glue pot”"),
        ("/hecho", "Cancelado: «turn off the glue pot»"),
        ("/完成", "已取消：“turn off the glue pot”"),
    ],
)
async def test_what_is_done_is_not_told_again_though_it_was_put_off(
    ana: Chat, answer: str, gone: str
) -> None:
    await ana.say("remind me in 20 minutes to turn off the glue pot")
    (reminder,) = await kept(ana)
    ana.clock.pass_(minutes=20)
    await due(ana, reminder, ana.clock())
    assert "⏰" in (await ana.say("/snooze 30")).reply.text
    assert len(await kept(ana)) == 1
    said = (await ana.say(answer)).reply.text
    assert "turn off the glue pot" in said
    assert gone in said
    assert not await kept(ana)
    assert "⏰" not in (await ana.say(answer)).reply.text  # nothing is cancelled twice


@pytest.mark.parametrize(
    ("words", "until"),
    [
        ("", "2 March 2026, 10:31"),
        (" 30", "2 March 2026, 10:51"),
        (" 1 hour", "2 March 2026, 11:21"),
        (" 2h", "2 March 2026, 12:21"),
        (" for an hour", "2 March 2026, 11:21"),
        (" until 5 pm", "2 March 2026, 17:00"),
        (" tomorrow", "3 March 2026, 10:20"),
        (" tomorrow at 9", "3 March 2026, 09:00"),
        (" 2 horas", "2 March 2026, 12:21"),
        (" mañana", "3 March 2026, 10:20"),
        (" hasta mañana a las 9", "3 March 2026, 09:00"),
        (" 2小时", "2 March 2026, 12:21"),
        (" 明天", "3 March 2026, 10:20"),
        (" 明天九点", "3 March 2026, 09:00"),
    ],
)
async def test_it_is_put_off_for_as_long_as_the_words_say(
    ana: Chat, words: str, until: str
) -> None:
    await ana.say("remind me in 20 minutes to turn off the glue pot")
    (reminder,) = await kept(ana)
    assert reminder.next
    ana.clock.now = reminder.next
    await due(ana, reminder, reminder.next)
    assert until in (await ana.say(f"/snooze{words}")).reply.text
    assert len(await kept(ana)) == 1


@pytest.mark.parametrize(
    ("language", "words", "told"),
    [
        ("en", "abc", "I can't tell how long “abc” is"),
        ("en", "every day at 9", "I can't tell how long"),
        ("es", "un poquito", "No sé cuánto es «un poquito»"),
        ("zh", "一会儿吧", "看不懂“一会儿吧”"),
    ],
)
async def test_what_says_no_time_puts_nothing_off(
    ana: Chat, language: str, words: str, told: str
) -> None:
    await ana.say("remind me in 20 minutes to turn off the glue pot")
    (reminder,) = await kept(ana)
    ana.clock.pass_(minutes=20)
    await due(ana, reminder, ana.clock())
    await ana.say(f"/language {language}")
    assert told in (await ana.say(f"/snooze {words}")).reply.text
    assert not await kept(ana)


@pytest.mark.parametrize(
    ("language", "told"),
    [("en", "answered already"), ("es", "ya está respondido"), ("zh", "已经回答过了")],
)
@pytest.mark.parametrize("answer", ["/done", "/skip"])
async def test_what_is_done_is_not_put_off(
    ana: Chat, answer: str, language: str, told: str
) -> None:
    await ana.say("remind me in 20 minutes to turn off the glue pot")
    (reminder,) = await kept(ana)
    ana.clock.pass_(minutes=20)
    turn = await due(ana, reminder, ana.clock())
    await ana.say(answer)
    await ana.say(f"/language {language}")
    for again in ("/snooze", turn.reply.buttons[1].data):
        assert told in (await ana.say(again)).reply.text
    assert not await kept(ana)


@pytest.mark.parametrize("when", ["tomorrow", "every day"])
async def test_one_that_is_moved_after_it_was_handed_over_is_told_at_its_new_time_alone(
    ana: Chat, when: str
) -> None:
    await ana.say(f"remind me {when} at 9 to tune")
    (reminder,) = await kept(ana)
    old = reminder.next
    assert old
    await ana.say("move the reminder to tune to 18:00")
    (moved,) = await kept(ana)
    assert moved.next
    assert moved.next != old
    assert (await due(ana, moved, old)).reply.text == ""
    assert "tune" in (await due(ana, moved, moved.next)).reply.text


async def test_what_became_of_it_is_remembered(ana: Chat) -> None:
    await ana.say("remind me in 20 minutes to turn off the glue pot")
    (reminder,) = await kept(ana)
    ana.clock.pass_(minutes=20)
    await due(ana, reminder, ana.clock())
    assert "I've noted it" in (await ana.say("/done")).reply.text
    records = await ana.assistant.memory.store.iterate("telegram_-ana", limit=10)
    assert [one.text for one in records] == ["Done on 2 March 2026: turn off the glue pot"]


@pytest.mark.parametrize(
    ("said", "answer"), [("/hecho", "ningún recordatorio"), ("/done", "no reminder")]
)
async def test_without_a_reminder_there_is_nothing_to_answer(
    ana: Chat, said: str, answer: str
) -> None:
    assert answer in (await ana.say(said)).reply.text


async def test_what_comes_late_says_when_it_was_due(ana: Chat) -> None:
    await ana.say("remind me in 20 minutes to turn off the glue pot")
    (reminder,) = await kept(ana)
    at = reminder.next
    assert at is not None
    ana.clock.pass_(hours=3)
    turn = await due(ana, reminder, at)
    assert turn.reply.text.endswith("(This was due Monday 2 March 2026, 10:20.)")


async def test_what_is_long_over_is_one_line(ana: Chat) -> None:
    await ana.say("remind me every day at 12 to eat")
    (reminder,) = await kept(ana)
    ana.clock.pass_(days=9)
    turn = await due(ana, reminder, reminder.coming(9)[-1], missed=True, before=8)
    assert turn.reply.text == (
        "⏰ While I was away, this was due: "
        "“eat” (Tuesday 10 March 2026, 12:00, and 8 times before)."
    )
    assert not turn.reply.buttons


async def test_a_reminder_cancelled_meanwhile_says_nothing(ana: Chat) -> None:
    await ana.say("remind me in 20 minutes to turn off the glue pot")
    (reminder,) = await kept(ana)
    await ana.say("cancel the reminder to turn off the glue pot")
    assert (await due(ana, reminder, ana.clock())).reply.text == ""


async def test_nothing_is_learned_from_a_reminder_that_is_told(
    opened: Callable[..., object], chat: Callable[..., Chat]
) -> None:
    agent = FakeAgent(lambda prompt: "I am allergic to nuts, you said. Off with the glue pot!")
    assistant = await opened(agent=agent)  # type: ignore[misc]
    ana = chat(assistant, "ana", channel="telegram")
    reminder = await _set(ana, "turn off the glue pot")
    ana.clock.pass_(minutes=20)
    turn = await due(ana, reminder, ana.clock())
    assert turn.reply.text == "I am allergic to nuts, you said. Off with the glue pot!"
    assert not await assistant.memory.store.iterate("telegram_-ana", limit=10)
    (event,) = await assistant.memory.store.recent_events("telegram_-ana", limit=10)
    assert (event.user_text, event.assistant_text) == ("", turn.reply.text)
    (prompt,) = agent.asked
    assert "turn off the glue pot (due Monday 2 March 2026, 09:20)" in prompt.turn


async def test_a_model_that_fails_costs_no_reminder(
    opened: Callable[..., object], chat: Callable[..., Chat]
) -> None:
    from cloche.errors import ModelError

    def fail(prompt: object) -> str:
        raise ModelError("no", cause="timeout")

    assistant = await opened(agent=FakeAgent(fail))  # type: ignore[misc]
    ana = chat(assistant, "ana", channel="telegram")
    reminder = await _set(ana, "turn off the glue pot")
    ana.clock.pass_(minutes=20)
    assert (await due(ana, reminder, ana.clock())).reply.text == "⏰ turn off the glue pot"


class Checker:
    """Says what a test says."""

    def __init__(self, *, claims: bool) -> None:
        self.asked: list[tuple[str, str]] = []
        self._claims = claims

    async def claims(self, words: str, answer: str, actor: str, before: object = None) -> bool:
        self.asked.append((words, answer))
        return self._claims


@pytest.mark.parametrize(
    ("words", "claims", "corrected"),
    [
        ("remind me tomorrow", True, True),
        ("recuérdame mañana que riegue", True, True),
        ("明天提醒我浇水", True, True),
        ("remind me tomorrow", False, False),
        ("what do you know of the lute?", True, True),
    ],
)
async def test_a_claim_that_is_not_true_is_corrected_in_one_line(
    opened: Callable[..., object],
    chat: Callable[..., Chat],
    words: str,
    claims: bool,
    corrected: bool,
) -> None:
    checker = Checker(claims=claims)
    assistant = await opened(agent=FakeAgent(lambda prompt: "Sure, I have set it!"))  # type: ignore[misc]
    assistant._reminding = Reminding(claims=checker)
    turn = await chat(assistant, "ana", channel="telegram").say(words)
    lines = turn.reply.text.split("\n\n")
    assert lines[0] == "Sure, I have set it!"
    assert (len(lines) == 2) == corrected
    assert checker.asked == [(words, "Sure, I have set it!")]


ASKED = "When shall I remind you?"


@pytest.mark.parametrize(
    "talk",
    [
        # The answer asked when, whatever the words that follow.
        [("Remind me to call mum", ASKED), ("tomorrow at 9", "Done.")],
        [("Shall we?", "What time?"), ("nine", "Done.")],
        [("¿Y mamá?", "¿A qué hora quieres que te avise?"), ("a las nueve", "¡Hecho!")],
        [("提醒我给妈妈打电话", "什么时候？"), ("明天九点", "好的。")],
        # The words before asked for one.
        [("remind me tomorrow at 9", "I set it."), ("and half an hour earlier", "Done.")],
        # Everyday ways to ask.
        [("tell me tomorrow at 9 to call mum", "Done.")],
        [("at 9 tell me to call mum", "Done.")],
        [("text me at 5 to leave", "Done.")],
        [("give me a nudge at 5 pm", "Done.")],
        [("set a timer for 10 minutes", "Done.")],
        [("move it to 10 instead", "Done.")],
        [("cancel it", "Done.")],
        [("can you check in with me tomorrow?", "Sure.")],
        [("put it in my calendar for 9", "Done.")],
        [("acuérdame mañana llamar a mamá", "Hecho.")],
        [("dime a las 9 que riegue", "Hecho.")],
        [("no me dejes olvidar la cita", "Hecho.")],
        [("haz que me acuerde mañana a las 9", "Hecho.")],
        [("pon un temporizador de 10 minutos", "Hecho.")],
        [("muévelo a las diez", "Hecho.")],
        [("cancélalo", "Hecho.")],
        [("明天九点告诉我浇水", "好的。")],
        [("明早喊我起床", "好的。")],
        [("10分钟后计时", "好的。")],
        [("改到十点", "好的。")],
        # What the answer says of itself.
        [("and mum?", "I'll remind you tomorrow.")],
        [("and mum?", "It is set for nine.")],
        [("and mum?", "I'll give you a nudge.")],
        [("and mum?", "I will then tell you so.")],
        [("¿y mamá?", "Te lo recordaré mañana.")],
        [("¿y mamá?", "He puesto una alarma.")],
        [("妈妈呢？", "明天九点提醒你。")],
        [("妈妈呢？", "我会在九点告诉你。")],
    ],
)
async def test_a_claim_is_looked_for_wherever_people_ask_and_models_promise(
    opened: Callable[..., object], chat: Callable[..., Chat], talk: list[tuple[str, str]]
) -> None:
    answers = iter([answer for _, answer in talk])
    assistant = await opened(agent=FakeAgent(lambda prompt: next(answers)))  # type: ignore[misc]
    checker = Checker(claims=True)
    assistant._reminding = Reminding(claims=checker)
    ana = chat(assistant, "ana", channel="telegram")
    for words, _ in talk:
        turn = await ana.say(words)
    assert checker.asked[-1] == talk[-1]
    assert len(turn.reply.text.split("\n\n")) == 2


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("what is a lute?", "A lute has a set of strings. Shall I go on?"),
        ("tell me more about lutes in Spain", "They were played at court."),
        ("thank you", "You are welcome!"),
        ("¿qué es un laúd?", "Recuerdo que te gustan: un laúd tiene cuerdas."),
        ("dime qué es un laúd", "Un instrumento de cuerda."),
        ("什么是鲁特琴？", "一种拨弦乐器。"),
        ("告诉我什么是鲁特琴", "一种拨弦乐器。"),
    ],
)
async def test_no_question_is_spent_where_nobody_speaks_of_reminders(
    opened: Callable[..., object], chat: Callable[..., Chat], words: str, answer: str
) -> None:
    assistant = await opened(agent=FakeAgent(lambda prompt: answer))  # type: ignore[misc]
    checker = Checker(claims=True)
    assistant._reminding = Reminding(claims=checker)
    ana = chat(assistant, "ana", channel="telegram")
    for _ in range(2):
        assert (await ana.say(words)).reply.text == answer
    assert not checker.asked


class Looker:
    def __init__(self, message: str) -> None:
        self.message = message

    async def due(self, prompt: object, actor: str) -> str:
        return self.message


@pytest.mark.parametrize("message", ["", "The glue is dry by now."])
async def test_the_daily_look_says_nothing_when_nothing_is_due(ana: Chat, message: str) -> None:
    agreed = await ana.say("look every day at 08:30 whether anything is due")
    assert "⏰ I'll look whether anything is due: Tuesday 3 March 2026, 08:30" in agreed.reply.text
    (look,) = await kept(ana)
    ana.assistant._reminding = Reminding(look=Looker(message))
    ana.clock.pass_(days=1)
    turn = await due(ana, look, look.coming(1)[0])
    assert turn.reply.text == message
    assert not turn.reply.buttons
    events = await ana.assistant.memory.store.recent_events("telegram_-ana", limit=10)
    assert any(event.assistant_text == message for event in events) == bool(message)
    off = await ana.say("stop looking whether anything is due")
    assert "no longer look" in off.reply.text
    assert not await kept(ana)


@pytest.mark.parametrize(
    ("task", "look", "told"),
    [
        (
            "I still have to buy gut strings.",
            "check every day at 8 in the morning if anything is due",
            "What is left to do, as you told me:\n\n- I still have to buy gut strings.",
        ),
        (
            "Todavía tengo que comprar cuerdas.",
            "revisa todos los días a las ocho de la mañana si hay algo pendiente",
            "Lo que queda por hacer, según me has contado:\n\n- Todavía tengo que comprar cuerdas.",
        ),
        (
            "我还要买琴弦。",
            "每天早上八点看看有没有要做的事",
            "根据你告诉我的，还有这些要做：\n\n- 我还要买琴弦。",
        ),
    ],
)
async def test_the_demos_daily_look_tells_what_is_left_to_do_and_else_nothing(
    ana: Chat, task: str, look: str, told: str
) -> None:
    assert "⏰" in (await ana.say(look)).reply.text
    (agreed,) = await kept(ana)
    assert agreed.next == datetime(2026, 3, 3, 7, tzinfo=UTC)
    ana.clock.pass_(days=1)
    assert (await due(ana, agreed, agreed.coming(1)[0])).reply.text == ""
    await ana.say(task)
    ana.clock.pass_(days=1)
    assert (await due(ana, agreed, agreed.coming(2)[1])).reply.text == told


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("check every day at 5 if anything is due", "in the morning or in the afternoon?"),
        ("check every day at some point if anything is due", "can't tell when"),
        ("mira cada día a las tantas si hay algo pendiente", "No sé cuándo es"),
        ("每天有空看看有没有到期的事", "看不出"),
    ],
)
async def test_a_daily_look_needs_a_time_they_named(ana: Chat, said: str, told: str) -> None:
    turn = await ana.say(said)
    assert told in turn.reply.text
    assert not await kept(ana)


async def test_without_agreement_there_is_no_look(ana: Chat) -> None:
    await ana.say("hello")
    assert not await kept(ana)


async def test_quiet_hours_are_chosen_with_a_command(ana: Chat) -> None:
    assert "no quiet hours" in (await ana.say("/quiet")).reply.text
    assert "22:00 to 07:00" in (await ana.say("/quiet 22-7")).reply.text
    assert (await ana.assistant.people.settings("telegram_-ana")).quiet == "22:00-07:00"
    assert "can't read" in (await ana.say("/quiet sometimes")).reply.text
    assert "any hour" in (await ana.say("/quiet off")).reply.text


async def test_forget_and_export_reach_reminders(ana: Chat) -> None:
    await ana.say("remind me to oil the pegs tomorrow at 9")
    memory = ana.assistant.memory
    holdings = await read_holdings("telegram_-ana", memory.store, memory.state)
    assert any("oil the pegs" in str(value) for _, value in holdings.state)
    await memory.forgetter.everything("telegram_-ana")
    assert not await kept(ana)
    assert not await memory.state.list_items("due/")


async def test_who_is_shown_out_is_told_nothing_until_let_in_again(ana: Chat) -> None:
    await ana.say("remind me every day at 12 to eat")
    doors, store = ana.assistant.doors, ana.assistant.memory.reminders
    await doors.remove(Address("telegram", "ana"))
    ana.clock.pass_(days=1)
    assert not await store.due(ana.clock(), ["telegram"])
    await doors.allow(Address("telegram", "ana"))
    assert len(await store.due(ana.clock(), ["telegram"])) == 1


def _message(chat: Chat) -> Message:
    where = str(chat.where["conversation"])
    return Message("1", Address("telegram", chat.sender), where, "", group=True)


async def _set(chat: Chat, text: str) -> Reminder:
    from cloche.reminders.reminder import Reminder, reminder_id
    from cloche.reminders.schedule import Once

    actor = f"telegram_-{chat.sender}"
    made = Reminder(
        reminder_id(actor, text),
        actor,
        Place("telegram", chat.sender, chat.sender),
        text,
        "en",
        Once(chat.clock() + timedelta(minutes=20), "UTC"),
        chat.clock(),
    )
    await chat.assistant.memory.reminders.put(made)
    return made


@pytest.mark.parametrize(
    ("talk", "text", "due_at"),
    [
        (("Remind me tomorrow to oil it", "at 9"), "oil it", "Tuesday 3 March 2026, 09:00"),
        (("Remind me to oil it tomorrow", "9am"), "oil it", "Tuesday 3 March 2026, 09:00"),
        (("Remind me tomorrow to oil it", "at 9 pm."), "oil it", "Tuesday 3 March 2026, 21:00"),
        (("Remind me tomorrow to oil it", "9"), "oil it", "Tuesday 3 March 2026, 09:00"),
        (("Remind me tomorrow at 5 to oil it", "pm"), "oil it", "Tuesday 3 March 2026, 17:00"),
        (("Remind me to oil it tomorrow at 5", "17:00"), "oil it", "Tuesday 3 March 2026, 17:00"),
        (("Remind me to oil it tomorrow at 5", "in the afternoon"), "oil it", "17:00"),
        (("Tomorrow at 5 remind me to oil it", "17:00"), "oil it", "3 March 2026, 17:00"),
        (("Remind me tomorrow to oil it", "at 5", "pm"), "oil it", "3 March 2026, 17:00"),
        (("Remind me to oil it", "tomorrow at 10"), "oil it", "Tuesday 3 March 2026, 10:00"),
        (("Remind me to oil it", "tomorrow", "at 10"), "oil it", "Tuesday 3 March 2026, 10:00"),
        (("Remind me to oil it", "in 20 minutes"), "oil it", "Monday 2 March 2026, 10:2"),
        (("Recuérdame comer mañana", "a las 9"), "comer", "martes 3 de marzo de 2026, 09:00"),
        (("Recuérdame comer mañana a las 5", "de la tarde"), "comer", "17:00"),
        (("Recuérdame comer mañana a las 5", "a las 5 de la tarde"), "comer", "17:00"),
        (("Recuérdame comer", "mañana a las 10"), "comer", "10:00"),
        (("明天提醒我吃饭", "九点"), "吃饭", "2026年3月3日星期二 09:00"),
        (("明天五点提醒我吃饭", "下午五点"), "吃饭", "2026年3月3日星期二 17:00"),
        (("明天五点提醒我吃饭", "下午"), "吃饭", "2026年3月3日星期二 17:00"),
        (("提醒我吃饭", "明天早上十点"), "吃饭", "2026年3月3日星期二 10:00"),
    ],
)
async def test_the_answer_to_a_question_for_the_time_completes_what_was_asked_for(
    ana: Chat, talk: Sequence[str], text: str, due_at: str
) -> None:
    for words in talk[:-1]:
        assert "⏰" not in (await ana.say(words)).reply.text
    turn = await ana.say(talk[-1])
    assert "⏰" in turn.reply.text
    assert due_at in turn.reply.text
    (reminder,) = await kept(ana)
    assert reminder.text == text


@pytest.mark.parametrize("words", ["Never mind", "What is a violin?", "My lute is old."])
async def test_what_answers_no_question_for_the_time_sets_nothing(ana: Chat, words: str) -> None:
    await ana.say("Remind me tomorrow to oil it")
    assert "⏰" not in (await ana.say(words)).reply.text
    assert "⏰" not in (await ana.say("at 9")).reply.text
    assert not await kept(ana)


async def test_the_zone_is_asked_for_after_the_time_and_then_it_is_set(
    assistant: Assistant, chat: Callable[..., Chat]
) -> None:
    bo = chat(assistant, "bo", channel="telegram")
    assert "At what time?" in (await bo.say("Remind me tomorrow to string the lute")).reply.text
    assert "which city" in (await bo.say("at 9")).reply.text
    assert "⏰ “string the lute”" in (await bo.say("Oslo")).reply.text


@pytest.mark.parametrize(
    ("said", "hour"),
    [
        ("Wake me up at 7", "3 March 2026, 07:00"),
        ("Wake me up at 7 pm", "2 March 2026, 19:00"),
        ("Wake me up at 7 in the evening", "2 March 2026, 19:00"),
        ("Wake me up at 7 tomorrow evening", "3 March 2026, 19:00"),
        ("Despiértame a las 7 de la tarde", "2 de marzo de 2026, 19:00"),
        ("Wake me up at 7 tomorrow", "3 March 2026, 07:00"),
        ("Ponme una alarma a las 6:45", "3 de marzo de 2026, 06:45"),
        ("明早七点叫我起床", "2026年3月3日星期二 07:00"),
    ],
)
async def test_who_is_woken_means_the_morning(ana: Chat, said: str, hour: str) -> None:
    assert hour in (await ana.say(said)).reply.text


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Cancel the Friday reminder", ["call Jo"]),
        ("Cancela el recordatorio del viernes", ["call Jo"]),
        ("取消周五的提醒", ["call Jo"]),
        ("Cancel call Jo", ["see the dentist"]),
        ("Cancela todo", []),
        ("Cancel everything", []),
        ("全部取消", []),
    ],
)
async def test_a_reminder_is_cancelled_by_its_day_or_its_text_alone(
    ana: Chat, said: str, left: list[str]
) -> None:
    await ana.say("Remind me to call Jo on Thursday at 9 am")
    await ana.say("Remind me to see the dentist on Friday at 9 am")
    await ana.say(said)
    assert [one.text for one in await kept(ana)] == left


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Snooze the dentist reminder", "Nothing was changed."),
        ("Pospón el recordatorio del dentist", "No he cambiado nada."),
        ("推迟dentist的提醒", "什么都没有改动"),
        ("Bring the dentist reminder forward by 10 days", "is over already"),
        ("Adelanta el recordatorio del dentist diez días", "ya pasó"),
        ("把dentist的提醒提前十天", "已经过去了"),
    ],
)
async def test_what_does_not_say_by_how_much_or_is_over_moves_nothing(
    ana: Chat, said: str, told: str
) -> None:
    await ana.say("Remind me to see the dentist on Friday at 9 am")
    (before,) = await kept(ana)
    assert told in (await ana.say(said)).reply.text
    assert await kept(ana) == [before]


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("Postpone the dentist reminder by one hour", "Friday 6 March 2026, 10:00"),
        ("Move the dentist reminder two hours later", "Friday 6 March 2026, 11:00"),
        ("Snooze the dentist reminder for a day", "Saturday 7 March 2026, 09:00"),
        ("Bring the dentist forward by 90 minutes", "Friday 6 March 2026, 07:30"),
        ("Pospón el recordatorio del dentist media hora", "viernes 6 de marzo de 2026, 09:30"),
        ("Adelanta el recordatorio del dentist un día", "jueves 5 de marzo de 2026, 09:00"),
        ("推迟dentist的提醒半小时", "2026年3月6日星期五 09:30"),
        ("把dentist的提醒提前一个小时", "2026年3月6日星期五 08:00"),
    ],
)
async def test_a_reminder_is_put_off_by_how_much(ana: Chat, said: str, due: str) -> None:
    await ana.say("Remind me to see the dentist on Friday at 9 am")
    assert due in (await ana.say(said)).reply.text


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("push the stretch reminder back by half an hour", "07:30"),
        ("bring the stretch reminder forward by 8 hours", "comes again and again"),
        ("postpone the stretch reminder by a day", "comes again and again"),
        ("retrasa el recordatorio de stretch un día", "se repite"),
        ("把stretch的提醒推迟一天", "重复的提醒"),
    ],
)
async def test_one_that_repeats_is_put_off_within_its_day(ana: Chat, said: str, told: str) -> None:
    await ana.say("Remind me every day at 7 to stretch")
    assert told in (await ana.say(said)).reply.text


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("cancel the one at 9", ["call Jo", "see the dentist", "stretch"]),  # two come at nine
        ("cancel the one at 7", ["call Jo", "see the dentist"]),
        ("cancel the Thursday one", ["see the dentist", "stretch"]),
        ("cancel tomorrow's reminder", ["call Jo", "see the dentist", "stretch"]),
        ("cancel the morning one", ["call Jo", "see the dentist", "stretch"]),
        ("cancela la del jueves", ["see the dentist", "stretch"]),
        ("cancela la de mañana", ["call Jo", "see the dentist", "stretch"]),
        ("取消星期四那个", ["see the dentist", "stretch"]),
        ("cancel call Jo and the dentist", ["stretch"]),
        ("cancela call Jo y el dentist", ["stretch"]),
        ("cancel call Jo and blorp the frobnicator", ["see the dentist", "stretch"]),
    ],
)
async def test_a_reminder_is_cancelled_by_its_time_where_one_alone_has_it(
    ana: Chat, said: str, left: list[str]
) -> None:
    await ana.say("Remind me to call Jo on Thursday at 9 am")
    await ana.say("Remind me to see the dentist on Friday at 9 am")
    await ana.say("Remind me every day at 7 to stretch")
    told = (await ana.say(said)).reply.text
    assert sorted(one.text for one in await kept(ana)) == left
    assert "frobnicator" not in said or "No reminder fits “blorp the frobnicator”" in told


async def test_a_reminder_is_moved_by_its_text_alone(ana: Chat) -> None:
    await ana.say("Remind me to call Jo on Thursday at 9 am")
    assert "Friday 6 March" in (await ana.say("Reschedule call Jo to Friday 9am")).reply.text


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "I have an old harp and remind me tomorrow at 9am to tune the lute",
            "I have an old harp",
        ),
        ("Toco un arpa vieja y recuérdame mañana a las 9 afinar el laúd", "Toco un arpa vieja"),
        ("我有一架旧竖琴，明天早上九点提醒我给鲁特琴调音", "我有一架旧竖琴"),
        (
            "I have an old harp and tomorrow at 9am remind me to tune the lute",
            "I have an old harp",
        ),
    ],
)
async def test_of_what_is_told_and_asked_in_one_breath_what_is_told_is_kept(
    ana: Chat, said: str, told: str
) -> None:
    turn = await ana.say(said)
    assert "⏰" in turn.reply.text
    records = await ana.assistant.memory.store.iterate("telegram_-ana")
    assert [one.text for one in records if one.kind == "fact"] == [told]


@pytest.mark.parametrize(
    "said",
    ["move the harp one to Sunday", "mueve lo del arpa al domingo", "把竖琴那个推迟两个小时"],
)
async def test_a_reminder_that_is_not_there_is_said_to_be_none_and_never_remembered(
    ana: Chat, said: str
) -> None:
    turn = await ana.say(said)
    assert any(
        words in turn.reply.text
        for words in ("No reminder fits", "Ningún recordatorio", "没有符合")
    )
    assert not await ana.assistant.memory.store.iterate("telegram_-ana")


@pytest.mark.parametrize(
    ("asked", "said", "question"),
    [
        ("Remind me tomorrow at 9 to string the lute", "I have a lute.", "which city"),
        ("Remind me tomorrow at 9 to string the lute", "What lutes do I have?", "which city"),
        ("Remind me tomorrow at 9 to string the lute", "Thanks!", "which city"),
        ("Recuérdame mañana a las 9 encordar el laúd", "Solo uso cuerdas de tripa.", "qué ciudad"),
        ("Recuérdame mañana a las 9 encordar el laúd", "Tengo un laúd.", "qué ciudad"),
        ("明天早上九点提醒我调琴", "我有一架竖琴。", "哪个城市"),
    ],
)
async def test_words_that_are_no_place_are_never_taken_for_the_answer_to_where_one_lives(
    assistant: Assistant, chat: Callable[..., Chat], asked: str, said: str, question: str
) -> None:
    bo = chat(assistant, "bo", channel="telegram")
    assert question in (await bo.say(asked)).reply.text
    turn = await bo.say(said)
    assert not [use for use in turn.report.tool_uses if use.tool == "set_time_zone"]
    assert question not in turn.reply.text
    later = await bo.say("Lima" if question != "哪个城市" else "北京")
    assert said.rstrip(".。!?") not in later.reply.text


@pytest.mark.parametrize(
    ("asked", "moved", "answer"),
    [
        (
            "remind me on Friday at 6pm to prune",
            "move the prune to Sunday at 4",
            "in the afternoon",
        ),
        (
            "recuérdame el viernes a las 18:00 podar",
            "mueve podar al domingo a las 4",
            "por la tarde",
        ),
        ("周五下午六点提醒我浇水", "把浇水的提醒改到周日四点", "下午"),
    ],
)
async def test_half_of_the_day_answers_for_a_reminder_that_is_moved_too(
    ana: Chat, asked: str, moved: str, answer: str
) -> None:
    await ana.say(asked)
    await ana.say(moved)
    assert "16:00" in (await ana.say(answer)).reply.text
    (one,) = await kept(ana)
    assert one.schedule.at == datetime(2026, 3, 8, 15, tzinfo=UTC)  # type: ignore[union-attr]
