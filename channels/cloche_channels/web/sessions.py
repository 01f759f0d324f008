"""Who may use the page: a link that lets one browser in, and what that browser shows afterwards.

Other users of this machine can reach a loopback port, and other servers on it get this host's
cookies, because cookies know no ports. So a session is two things that belong together: a signed
cookie that no script can read, and a token that the page keeps where only its own origin, port
included, can read it. Neither opens anything alone.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from cloche.channels import Keepsakes

KEPT: Final = timedelta(days=30)
"""Then the browser has to be let in again."""

_KEY: Final = "key"
_COOKIE: Final = re.compile(r"(?P<session>[0-9a-f]{32})\.(?P<ends>[0-9]{1,12})\.[0-9a-f]{64}")


async def signing_key(keepsakes: Keepsakes) -> bytes:
    """The key sessions are signed with: made once, so that browsers stay in after a restart."""
    kept = await keepsakes.get(_KEY)
    if isinstance(kept, str) and re.fullmatch("[0-9a-f]{64}", kept):
        return bytes.fromhex(kept)
    key = secrets.token_bytes(32)
    await keepsakes.put(_KEY, key.hex())
    return key


@dataclass(frozen=True, slots=True)
class Session:
    """One browser that was let in; its id is the conversation's, too."""

    id: str
    ends: int


class Sessions:
    """Makes and reads cookies and tokens."""

    def __init__(self, key: bytes, clock: Callable[[], datetime]) -> None:
        """Take the key and the present instant."""
        self._key, self._clock = key, clock

    def begin(self, cookie: str = "") -> Session:
        """A session from now on; a browser that was in before keeps its id, and so its talk."""
        known = self.read(cookie)
        ends = int((self._clock() + KEPT).timestamp())
        return Session(known.id if known else secrets.token_hex(16), ends)

    def cookie(self, session: Session) -> str:
        """What the browser sends back."""
        return f"{session.id}.{session.ends}.{self._sign('cookie', session)}"

    def token(self, session: Session) -> str:
        """What the page sends along with every request."""
        return self._sign("token", session)

    def read(self, cookie: str) -> Session | None:
        """The session a cookie stands for; None when it is forged, damaged or too old."""
        found = _COOKIE.fullmatch(cookie)
        if found is None:
            return None
        session = Session(found["session"], int(found["ends"]))
        genuine = hmac.compare_digest(self.cookie(session), cookie)
        return session if genuine and session.ends > self._clock().timestamp() else None

    def check(self, cookie: str, token: str) -> Session | None:
        """The session that cookie and token belong to; None when either is missing or wrong."""
        session = self.read(cookie)
        if session is None:
            return None
        genuine = hmac.compare_digest(self.token(session).encode(), _bytes(token))
        return session if genuine else None

    def _sign(self, what: str, session: Session) -> str:
        signed = f"{what} {session.id} {session.ends}".encode()
        return hmac.new(self._key, signed, hashlib.sha256).hexdigest()


def _bytes(sent: str) -> bytes:
    """Whatever somebody sent; half pairs and bytes that are no UTF-8 are none of ours."""
    return sent.encode("utf-8", "surrogatepass")


class Entrance:
    """The one link that lets a browser in; used once, it is another one."""

    def __init__(self) -> None:
        """Make the first."""
        self.word = secrets.token_urlsafe(32)

    def admits(self, word: str) -> bool:
        """Whether it is the link's word; then there is a new one from now on."""
        if not hmac.compare_digest(self.word.encode(), _bytes(word)):
            return False
        self.word = secrets.token_urlsafe(32)
        return True
