"""Which model is asked, where, and how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import urlsplit

from workbench.core.values import Prices

WireName = Literal["openai", "anthropic", "ollama"]

TIMEOUT = 600.0
"""Seconds for a whole request, where nothing else is said."""

IDLE_TIMEOUT = 120.0
"""Seconds of silence in a stream, where nothing else is said."""

RETRIES = 2

VENDORS_KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY"}
"""The environment variables that people keep the keys of vendors in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model behind a wire. The key itself is nowhere in here: it is read from the environment for each request."""

    wire: WireName
    model: str
    """The model's name at the provider."""
    base_url: str
    name: str = ""
    """What people call it, when that is not the wire's name: its name in models.toml."""
    key_env: str = ""
    """The environment variable that holds the key; "" sends none."""
    key_needed: bool = False
    """Whether a request without a key is hopeless, so that none is sent."""
    no_key_because: str = ""
    """Why no key goes there, as a sentence for whoever is turned away; "" when there is nothing to say."""
    api_version: str = ""
    max_tokens: int | None = None
    context_window: int | None = None
    tool_choice: str = ""
    """auto, required, none, the name of a tool, or "" to leave it to the provider."""
    temperature: float | None = None
    timeout: float = TIMEOUT
    idle_timeout: float = IDLE_TIMEOUT
    retries: int = RETRIES
    """Attempts after the first."""
    stream: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict)
    """Further fields of the request, sent as they are."""
    prices: Prices | None = None
    priced_on: str = ""
    """The day of the list that the prices are from, ISO 8601; "" when a person has given them."""

    @property
    def shown(self) -> str:
        """How messages call it."""
        return self.name or self.wire


def is_local(url: str) -> bool:
    """Whether that address is on this machine."""
    import ipaddress  # 3 ms, for those who go by the network

    try:
        host = urlsplit(url).hostname or ""
        return host == "localhost" or host.endswith(".localhost") or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_unclaimed(host: str) -> bool:
    """Whether a Host header holds a bare address, or a name in a domain that is kept for private use.

    Any other name may be that of a web page, whose owner has pointed it here to be let in as if it came from here.
    """
    import ipaddress

    try:
        name = urlsplit(f"//{host}").hostname or ""
        return f".{name}".endswith((".localhost", ".internal")) or ipaddress.ip_address(name) is not None
    except ValueError:
        return False
