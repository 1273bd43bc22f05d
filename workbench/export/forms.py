"""The forms a run can be written in. What writes each is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from importlib import import_module

from workbench.core.events import Event
from workbench.core.state import State, fold
from workbench.core.values import Header
from workbench.export.palette import Palette


class CannotExport(Exception):
    """A run that has no such form; the message is a sentence for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A run as it is to be written, and what is known around it."""

    header: Header
    events: Sequence[Event]
    state: State
    palettes: tuple[Palette, ...] = ()
    """The colours of what is looked at: one, or a dark and a light one."""
    tools_here: Mapping[str, str] = field(default_factory=dict)
    """The tools that can run here, and for each the folder that it needs; "" where it comes with the package."""

    @property
    def title(self) -> str:
        """The run's title on one line; its goal where it has none."""
        return " ".join((self.state.title or self.header.goal).split())


@dataclass(frozen=True, slots=True)
class Written:
    """The text of a form, and what in it is not as it was in the run, a sentence each."""

    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """One form. The function `write` of its module makes it."""

    name: str
    suffix: str
    about: str
    module: str
    coloured: bool = False
    runs: bool = False
    """Whether it is to be run again, so that the tools of the run are needed."""
    options: tuple[str, ...] = field(default=())
    """Further arguments of the function."""

    def write(self, run: Recorded) -> Written:
        """The run in this form. Raises CannotExport."""
        writer: Callable[..., Written] = import_module(f"workbench.export.{self.module}").write
        return writer(run, *self.options)


FORMS: tuple[Form, ...] = (
    Form(
        name="scenario",
        suffix=".toml",
        about="a script that plays it again, with what it came to as expectations",
        module="scripts",
        runs=True,
    ),
    Form(
        name="pytest",
        suffix=".py",
        about="a test that plays it again; it needs nothing but this package",
        module="pytests",
        runs=True,
    ),
    Form(
        name="openai",
        suffix=".json",
        about="the body of a chat completions request",
        module="messages",
        options=("openai",),
    ),
    Form(
        name="anthropic",
        suffix=".json",
        about="the body of a Messages request",
        module="messages",
        options=("anthropic",),
    ),
    Form(
        name="ollama",
        suffix=".json",
        about="the body of a request to /api/chat",
        module="messages",
        options=("ollama",),
    ),
    Form(name="markdown", suffix=".md", about="the transcript, for an issue or a wiki", module="markdown"),
    Form(name="html", suffix=".html", about="a page of its own, without scripts", module="page", coloured=True),
    Form(name="svg", suffix=".svg", about="a picture of the transcript", module="picture", coloured=True),
    Form(name="records", suffix=".jsonl", about="one line of JSON a step, arguments redacted", module="records"),
    Form(name="otel", suffix=".json", about="OpenTelemetry GenAI spans as OTLP in JSON", module="spans"),
)
BY_NAME = {form.name: form for form in FORMS}


def form_named(name: str) -> Form:
    """The form of that name. Raises CannotExport with the nearest one."""
    if name in BY_NAME:
        return BY_NAME[name]
    near = get_close_matches(name, BY_NAME, 1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(BY_NAME)}"
    raise CannotExport(f"there is no form {name}; {hint}")


def recorded(
    header: Header,
    events: Sequence[Event],
    *,
    palettes: tuple[Palette, ...] = (),
    tools_here: Mapping[str, str] | None = None,
) -> Recorded:
    """A run as its header and events tell it. Raises ValueError for events that make no run."""
    return Recorded(
        header=header, events=events, state=fold(header, events), palettes=palettes, tools_here=tools_here or {}
    )
