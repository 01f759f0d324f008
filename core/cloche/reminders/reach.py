"""Which of a person's reminders are in reach where they speak: in a group, others read along."""

from __future__ import annotations

from cloche.ids import conversation_id
from cloche.messages import place_of
from cloche.people import Person
from cloche.reminders.reminder import Reminder


def in_reach(reminder: Reminder, person: Person) -> bool:
    """True where a reminder may be shown, changed and answered by its person, as they are now.

    In a group that is what is told in that very place, unless the person lets what is private be
    used in groups.
    """
    place = reminder.place
    there = conversation_id(place.channel, place_of(place.conversation, place.thread))
    return person.may_recall_anywhere or there == person.conversation
