"""Mail that goes no further than the run's sandbox: one file a message in `outbox/`."""

from __future__ import annotations

import re
from hashlib import blake2b
from typing import Annotated

from workbench.toolkit.api import Bounds, ToolError, tool, workspace

OUTBOX = "outbox"


def _check(to: str, subject: str) -> None:
    name, _, host = to.partition("@")
    if not name or "." not in host or "@" in host or re.search(r"[\s,;<>]", to):
        raise ToolError(f'"{to}" is not one address. It looks like "ada@example.com".')
    if "\n" in subject or "\r" in subject:
        raise ToolError("The subject has more than one line. Put the rest into the body.")


def _preview(to: str, subject: str, body: str) -> str:
    _check(to, subject)
    return f'Sends "{subject}" to {to}: {len(body):,} characters.'


@tool(
    risk="outward",
    source="mail",
    preview=_preview,
    consequence=f"Writes one file to {OUTBOX}/ in this run's sandbox. A mail that is sent cannot be called back.",
)
def send_email(to: str, subject: Annotated[str, Bounds(min_length=1, max_length=200)], body: str) -> str:
    """Send a mail to one person. Call this when somebody outside has to be told something, and only then.

    to: one address, for example "ada@example.com".
    subject: one line.
    body: the text of the mail.
    """
    _check(to, subject)
    files = workspace()
    text = f"To: {to}\nSubject: {subject}\n\n{body}\n"
    number = 1 + (len(files.entries(OUTBOX)) if files.exists(OUTBOX) else 0)
    # The digest keeps two mails that are sent at the same time apart.
    path = f"{OUTBOX}/{number:03d}-{blake2b(text.encode(), digest_size=4).hexdigest()}.txt"
    files.write(path, text)
    return f"Sent to {to}; a copy is in {path}."
