"""Which store keeps an assistant's reminders, as the settings say."""

from __future__ import annotations

from cloche.context import BuildContext
from cloche.errors import SettingsError
from cloche.reminders.local import LocalReminders
from cloche.reminders.store import ReminderStore
from cloche.settings import variable
from cloche.state.store import StateStore


def choose_reminder_store(context: BuildContext, state: StateStore) -> ReminderStore:
    """The store; nothing of a service is asked yet.

    Raises:
        SettingsError: what is set lacks something.
    """
    chosen = context.settings.reminders
    if chosen.store == "local":
        return LocalReminders(state, context.clock)
    from cloche.reminders.eventbridge import EventBridgeReminders, scheduler_client

    for key in ("queue_arn", "role_arn"):
        if not getattr(chosen, key):
            raise SettingsError(
                f"{variable('reminders.store')}=eventbridge needs {variable(f'reminders.{key}')}."
            )
    return EventBridgeReminders(
        state,
        context.clock,
        client=lambda: scheduler_client(chosen.region),
        group=chosen.group or f"cloche-{context.assistant}",
        queue=chosen.queue_arn,
        role=chosen.role_arn,
    )
