"""The web page as a channel: a server on this machine's loopback address, for the owner alone."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import ClassVar, Final

from cloche.channels import (
    Capabilities,
    Channel,
    ChannelContext,
    ChannelRequest,
    Door,
    FileToSend,
    Incoming,
    Limits,
    OwnerOptions,
    Part,
    Secret,
    Watcher,
)
from cloche.errors import RequestError, SettingsError
from cloche.messages import Attachment
from cloche.texts import say
from cloche_channels.web.sessions import Entrance, Sessions, signing_key
from cloche_channels.web.talks import Talk, Watch
from cloche_channels.web.uploads import Uploads

HOST: Final = "127.0.0.1"
"""Loopback and nothing else: the page has no users, only the owner of this machine."""
PORT: Final = 8790


class WebChannel(Channel):
    """One page: chat and memory."""

    name: ClassVar[str] = "web"
    # Nothing is split: the page scrolls.
    limits: ClassVar[Limits] = Limits(
        text=1_000_000,
        text_bytes=4_000_000,
        buttons=20,
        button_label=200,
        button_data=2_000,
        attachments=10,
        file_bytes=20_000_000,
        sent_file_bytes=1_000_000_000,
    )
    capabilities: ClassVar[Capabilities] = Capabilities(
        formatting="markdown", buttons=True, files=True, owner_only=True
    )
    secrets: ClassVar[tuple[Secret, ...]] = (
        Secret("port", f"where the page listens on {HOST}; {PORT} without it", needed="never"),
    )

    def __init__(self, context: ChannelContext) -> None:
        """Take what the host gives.

        Raises:
            SettingsError: the port is none.
        """
        super().__init__(context)
        self.options = context.owner or OwnerOptions(owner="")
        self.port = _port(context.secret("port"))
        self.uploads, self.entrance = Uploads(context.folder), Entrance()
        self._talks: dict[str, Talk] = {}
        self._closed, self._listens = asyncio.Event(), asyncio.Event()

    def parse(self, request: ChannelRequest) -> Sequence[Incoming]:
        """Refuse: what people write comes through the page, not through webhooks.

        Raises:
            RequestError: always.
        """
        raise RequestError("web: takes no requests of a platform")

    async def send(self, part: Part) -> None:
        """Show a reply on every page of the browser it is for."""
        self.talk(part.conversation).send(part)

    async def send_file(self, part: Part, file: FileToSend) -> None:
        """Offer a file below its answer; its bytes are read when it is saved."""
        self.talk(part.conversation).send(part)

    async def fetch(self, attachment: Attachment) -> bytes:
        """The bytes of a file that a page sent.

        Raises:
            RequestError: it is not here any more.
        """
        upload = await asyncio.to_thread(self.uploads.find, attachment.ref)
        if upload is None:
            raise RequestError("web: the file is not here any more")
        return upload.content

    def watch(self, place: str) -> Watcher:
        """Show turns while they run."""
        return Watch(self.talk(place))

    def talk(self, conversation: str) -> Talk:
        """The talk of one browser. Its id is the same as a place: it needs no escape."""
        return self._talks.setdefault(conversation, Talk(self.context.clock, self.uploads))

    def forgot(self) -> None:
        """Show no talk that may tell what was forgotten."""
        for talk in self._talks.values():
            talk.let_go()

    async def run(self, door: Door) -> int:
        """Serve the page until ``close``, or until cancelled; 0.

        Raises:
            SettingsError: the port is taken.
            RequestError: nobody is named as the owner of this machine.
        """
        from cloche.listening import listening
        from cloche_channels.web.routes import page_of

        if not self.options.owner:
            raise RequestError("web: nobody is named as the owner of this machine")
        await asyncio.to_thread(self.uploads.tidy)
        sessions = Sessions(await signing_key(self.context.keepsakes), self.context.clock)
        # Requests are not logged: what people look for in their memory is in the addresses.
        page = page_of(self, door, sessions)
        async with AsyncExitStack() as stack:
            served = listening(page, HOST, self.port, shutdown_seconds=1)
            try:
                self.port = await stack.enter_async_context(served)
            except OSError as error:
                raise SettingsError(_refused(self.port, error)) from error
            stack.callback(self._end_talks)
            self.tell_link()
            self._listens.set()
            await self._closed.wait()
        return 0

    def _end_talks(self) -> None:
        for talk in self._talks.values():
            talk.end()

    async def ready(self) -> None:
        """Return once the page can be loaded."""
        await self._listens.wait()

    async def close(self) -> None:
        """Stop serving."""
        self._closed.set()

    def tell_link(self, key: str = "web_open") -> None:
        """Print the link that lets one browser in; the word in it is sent to no server."""
        link = f"http://{HOST}:{self.port}/#enter={self.entrance.word}"
        print(say(key, self.options.language, link=link), flush=True)  # noqa: T201


def _port(written: str) -> int:
    if not written:
        return PORT
    if not written.isascii() or not written.isdecimal() or int(written) > 65_535:
        raise SettingsError(f"CLOCHE_CHANNELS__WEB__PORT={written}: is no port, which is 0-65535.")
    return int(written)


def _refused(port: int, error: OSError) -> str:
    taken = error.errno == errno.EADDRINUSE
    why = "another program listens there" if taken else error.strerror or "it was refused"
    return f"CLOCHE_CHANNELS__WEB__PORT={port}: {why}; set another port, or 0 for any."
