"""From what a scenario says of a live model, and what `models.toml` knows of it, to the endpoint that is asked.

    [[model]]
    name = "local"                             # what `use` and --model call it
    wire = "openai"                            # or "anthropic", "ollama"
    model = "smollm2-135m"                     # its name at the provider
    base_url = "http://127.0.0.1:8080/v1"      # by default the vendor's own
    key_env = "LOCAL_KEY"                      # the environment variable that holds the key
    prices = { input = 0.0, output = 0.0 }
    context_window = 4096

A key goes only where its owner has sent it: to the vendor's own address, to this machine, to an address of a
`models.toml` that is trusted, or to one given on the command line. A scenario that somebody wrote cannot name another.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from workbench.core.values import Limits, Prices
from workbench.models.catalogue import list_price
from workbench.models.wire.endpoint import IDLE_TIMEOUT, RETRIES, TIMEOUT, Endpoint, is_local
from workbench.models.wire.wires import WIRES, Wire
from workbench.scenarios.errors import Problem, ScenarioError, dotted, nearest, one_of, unknown
from workbench.scenarios.explain import explain
from workbench.scenarios.fields import Count, Figure, JsonTable, Many, Name, Positive, Table, Url
from workbench.scenarios.loader import line_in, read_toml
from workbench.scenarios.locate import locate
from workbench.scenarios.models import BUILDERS
from workbench.scenarios.schema import LimitsTable, ModelTable, PricesTable, Scenario

ITS_OWN = ("name", "base_url", "api_version", "prices", "context_window", "match", "prompt", "tool", "exchange")
"""Keys of `[model]` that belong to the model that is asked, and not to the run."""

ENDING = ("steps", "model_calls", "input_tokens", "output_tokens", "total_tokens", "context_tokens", "cost", "seconds")
"""Limits that every run comes to, whatever its model says."""
_CHOICES = ("auto", "required", "none")


class ModelEntry(Table):
    """A live model."""

    name: Name
    """What scenarios and --model call it."""
    wire: Literal["openai", "anthropic", "ollama"]
    """How it is spoken to."""
    model: Name
    """Its name at the provider."""
    base_url: Url | None = None
    """Where the requests go; by default the vendor's own address."""
    key_env: Name | None = None
    """The environment variable that holds the key; by default the vendor's usual one."""
    api_version: Name | None = None
    prices: PricesTable | None = None
    """USD per million tokens."""
    context_window: Count | None = None
    """Tokens that one request may have."""
    max_tokens: Count | None = None
    """Longest reply, in tokens."""
    tool_choice: Literal["auto", "required", "none"] | None = None
    """Whether it must call a tool."""
    temperature: float | None = Field(None, ge=0, le=2)
    """Sent only if set."""
    timeout: Positive | None = None
    """Seconds for a whole request."""
    idle_timeout: Positive | None = None
    """Seconds between two pieces of a stream."""
    retries: Figure | None = None
    """Attempts after the first, inside one model call."""
    stream: bool = True
    """Whether the reply comes in pieces, to be seen while it is written."""
    extra: JsonTable = Field(default_factory=dict)
    """Further fields of the request, sent as they are."""


class ModelsFile(Table):
    """`models.toml`."""

    model: Many[ModelEntry] = ()


@dataclass(frozen=True, slots=True)
class Models:
    """The live models of a home."""

    entries: tuple[ModelEntry, ...] = ()
    file: str = ""
    trusted: bool = True
    """Whether the person has said that the folder is theirs, so that keys go to the addresses in it."""

    def entry(self, name: str) -> ModelEntry | None:
        return next((entry for entry in self.entries if entry.name == name), None)

    @property
    def names(self) -> list[str]:
        """Everything that `use` can be."""
        return [*BUILDERS, *WIRES, *(entry.name for entry in self.entries)]


def load_models(file: FilePath, *, trusted: bool = True) -> Models:
    """The models in the file; none when there is no file. Raises ScenarioError with every problem of it."""
    if not file.is_file():
        return Models(file=str(file), trusted=trusted)
    data, text = read_toml(file)
    locations = locate(text)
    try:
        entries = ModelsFile.model_validate(data).model
    except ValidationError as error:
        raise ScenarioError(explain(error, data, ModelsFile, str(file), locations)) from None
    taken: set[str] = {*BUILDERS, *WIRES}
    problems = []
    for index, entry in enumerate(entries):
        path = ("model", index, "name")
        if entry.name in taken or ":" in entry.name:
            why = "has a colon in it" if ":" in entry.name else "is taken already"
            problems.append(Problem(str(file), locations.line(path), dotted(path), f"the name {entry.name!r} {why}"))
        taken.add(entry.name)
        for key, message in _address_problems(entry.base_url):
            path = ("model", index, key)
            problems.append(Problem(str(file), locations.line(path), dotted(path), message))
    if problems:
        raise ScenarioError(problems)
    return Models(entries, str(file), trusted)


# ---------------------------------------------------------------- from scenario to endpoint


def endpoint_of(scenario: Scenario, models: Models, file: str = "", *, typed_url: str = "") -> Endpoint:
    """Where a live scenario's requests go. `typed_url` is an address that the person has given on the command line.

    Raises ScenarioError: no such model, no name at the provider, an address that holds a secret, a tool choice that
    cannot be.
    """
    table = scenario.model
    entry, wire = _named(scenario, models, file)
    base_url = table.base_url or (entry.base_url if entry is not None else None) or wire.base_url
    model = table.name or (entry.model if entry is not None else "")
    prices, priced_on = _prices(table, entry, wire, base_url, model)
    key_env, reason = _key(entry, models, wire, base_url, typed_url)

    def chosen(key: str, default: Any = None) -> Any:
        value = getattr(table, key)
        if value is None and entry is not None:
            value = getattr(entry, key)
        return default if value is None else value

    return Endpoint(
        wire=wire.name,
        model=model,
        base_url=base_url,
        name=entry.name if entry is not None else "",
        key_env=key_env,
        key_needed=bool(key_env) and (_is_vendors(base_url, wire) or (entry is not None and entry.key_env is not None)),
        no_key_because=reason,
        api_version=chosen("api_version", ""),
        max_tokens=chosen("max_tokens"),
        context_window=chosen("context_window"),
        tool_choice=chosen("tool_choice", ""),
        temperature=chosen("temperature"),
        timeout=chosen("timeout", TIMEOUT),
        idle_timeout=chosen("idle_timeout", IDLE_TIMEOUT),
        retries=chosen("retries", RETRIES),
        stream=entry.stream if entry is not None else True,
        extra=entry.extra if entry is not None else {},
        prices=prices,
        priced_on=priced_on,
    )


def _named(scenario: Scenario, models: Models, file: str) -> tuple[ModelEntry | None, Wire]:
    """The model of models.toml that the scenario names, if it is one, and its wire. Raises ScenarioError."""
    use, name = scenario.model.use, file or scenario.title or "scenario"
    entry = models.entry(use)
    if entry is None and use not in WIRES:
        words = unknown(use, models.names, "there is no model")
        if not nearest(use, models.names):
            words += f"; one of a provider has its wire before it, as in --model openai:{use}"
        raise ScenarioError([Problem(name, line_in(file, ("model", "use")), "model.use", words)])
    wire = WIRES[entry.wire if entry is not None else use]  # type: ignore[index]
    problems = [
        Problem(name, line_in(file, ("model", key)), f"model.{key}", text)
        for key, text in _problems(scenario, entry, wire)
    ]
    if problems:
        raise ScenarioError(problems)
    return entry, wire


def with_model(scenario: Scenario, choice: str, base_url: str = "") -> Scenario:
    """The scenario with another model: `wire:name`, a name of models.toml, or one of the offline ones; "" for its own.

    What belongs to the model before (address, version, prices, window) goes; what belongs to the run stays. Raises
    ScenarioError, which names the option at fault.
    """
    given = scenario.model.model_dump(exclude_unset=True)
    if choice:
        use, colon, name = choice.partition(":")
        if colon and (use not in WIRES or not name):
            message = f"needs the form WIRE:NAME with the wire {one_of(WIRES)}, or a name of models.toml"
            raise ScenarioError([Problem(f"--model {choice}", 0, "", message)])
        if use in WIRES and not colon:
            raise ScenarioError([Problem(f"--model {choice}", 0, "", f"needs the model's name, as in {use}:NAME")])
        if choice != scenario.model.use:
            given = {key: value for key, value in given.items() if key not in ITS_OWN}
        given |= {"use": use, "name": name} if colon else {"use": choice}
    if base_url:
        given["base_url"] = base_url
    try:
        model = ModelTable.model_validate(given)
    except ValidationError:
        message = "must begin with http:// or https:// and name a host"
        raise ScenarioError([Problem(f"--base-url {base_url}", 0, "", message)]) from None
    return scenario.model_copy(update={"model": model})


def cost_note(endpoint: Endpoint) -> str:
    """What a person should know about the cost before anything is sent; "" where the price is known."""
    if endpoint.prices is not None:
        return ""
    return (
        f"no price is known for {endpoint.model}: the cost is unknown, not 0, and limits.cost cannot be kept; "
        "prices = { input = …, output = … } in [model] or models.toml says it"
    )


def missing(endpoint: Endpoint) -> list[str]:
    """What keeps the endpoint from working, or what cannot be told without it, a sentence each."""
    return [*_lacking(endpoint), *(["no price: the cost of a run is unknown"] if endpoint.prices is None else [])]


def warnings(endpoint: Endpoint, limits: LimitsTable | Limits) -> tuple[str, ...]:
    """What a person should know before anything is sent, a sentence each; `limits` are those of the run."""
    return tuple(filter(None, [*_lacking(endpoint), cost_note(endpoint), _without_end(limits)]))


def _without_end(limits: LimitsTable | Limits) -> str:
    """What to say of a run that only its model can end; "" where a limit does."""
    if any(getattr(limits, name) is not None for name in ENDING):
        return ""
    return (
        "no limit ends this run: until the model answers it goes on making requests, each longer than the one before; "
        "limits.steps = 20, in the file or with --set, stops it after 20"
    )


def _lacking(endpoint: Endpoint) -> list[str]:
    lacking = []
    if endpoint.key_needed and not os.environ.get(endpoint.key_env, "").strip():
        lacking.append(f"no key: set {endpoint.key_env}")
    if endpoint.no_key_because:
        lacking.append(endpoint.no_key_because)
    if endpoint.context_window is None and WIRES[endpoint.wire].cuts_silently:
        lacking.append(
            "no context_window: the server may cut the transcript without a word; "
            "context_window = … in [model] or models.toml asks it for so many tokens"
        )
    return lacking


# ---------------------------------------------------------------- parts


def _problems(scenario: Scenario, entry: ModelEntry | None, wire: Wire) -> Sequence[tuple[str, str]]:
    table = scenario.model
    found = list(_address_problems(table.base_url))
    if table.name is None and entry is None:
        found.append(("name", f'is missing: the name of the model at the provider, beside use = "{table.use}"'))
    choice = table.tool_choice or (entry.tool_choice if entry is not None else None)
    if choice is None:
        return found
    if choice not in (*_CHOICES, *scenario.tools):
        found.append(("tool_choice", unknown(choice, [*_CHOICES, *scenario.tools], "there is no tool choice")))
    elif not wire.tool_choice and choice not in ("auto", "none"):
        found.append(("tool_choice", f'the {wire.name} wire cannot be made to call a tool: "auto" or "none" only'))
    return found


def _address_problems(base_url: str | None) -> Sequence[tuple[str, str]]:
    if base_url is None:
        return ()
    try:
        parts = urlsplit(base_url)
        secret = parts.username is not None or parts.password is not None
        strange = bool(parts.query or parts.fragment) or not base_url.isascii() or not base_url.isprintable()
        _ = parts.port
    except ValueError:
        return [("base_url", "is no address")]
    if secret:
        return [("base_url", "holds a name or a password; keys come from the environment, see key_env")]
    return [("base_url", "must be a plain address, without ? and #")] if strange else ()


def _is_vendors(base_url: str, wire: Wire) -> bool:
    here, vendors = urlsplit(base_url), urlsplit(wire.base_url)
    return (here.scheme, here.netloc.lower()) == (vendors.scheme, vendors.netloc)


def _prices(
    table: ModelTable, entry: ModelEntry | None, wire: Wire, base_url: str, model: str
) -> tuple[Prices | None, str]:
    """The scenario's prices, else those of models.toml, else the vendor's list where the vendor is asked."""
    given = table.prices or (entry.prices if entry is not None else None)
    if given is not None:
        return Prices(**given.model_dump()), ""
    listed = list_price(wire.name, model) if _is_vendors(base_url, wire) else None
    return (listed.prices, listed.on) if listed is not None else (None, "")


def _key(entry: ModelEntry | None, models: Models, wire: Wire, base_url: str, typed_url: str) -> tuple[str, str]:
    """The variable that holds the key for this address, "" for none; and why none goes there, where that may matter."""
    own = entry is not None and entry.base_url is not None and base_url == entry.base_url
    known = entry if own else _same_address(models, wire, base_url)
    if not models.trusted:
        key_env = wire.key_env  # who wrote such a file must not say which secret is sent
    else:
        key_env = next((item.key_env for item in (known, entry) if item is not None and item.key_env), wire.key_env)
    if not key_env:
        return "", ""
    if (known is not None and models.trusted) or base_url == typed_url or _is_vendors(base_url, wire):
        return key_env, ""
    if is_local(base_url):
        return key_env, ""
    if own:
        return "", f"no key is sent there, as {models.file} is in a folder that is not trusted: workbench trust FOLDER"
    return "", "no key is sent to an address that only a scenario names: put it into models.toml, or use --base-url"


def _same_address(models: Models, wire: Wire, base_url: str) -> ModelEntry | None:
    """The model that is known at that address."""
    return next((item for item in models.entries if item.base_url == base_url and item.wire == wire.name), None)
