"""The person of the script, who can act in the place of the one at the screen, as they do where nobody is there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from workbench.core.events import Event, SettingsChanged
from workbench.core.loop import AskModel, AskPerson, Finished, TakeStep
from workbench.core.ports import Person, Question
from workbench.models.human import HumanModel
from workbench.tui.run.judging import Verdict
from workbench.tui.run.parts import Part
from workbench.tui.situation import Situation, StandInWord
from workbench.view.bars import Bar
from workbench.view.entries import Span
from workbench.view.lines import clip
from workbench.view.standing_in import entry_words

if TYPE_CHECKING:
    from workbench.results import Hand
    from workbench.scenarios.person import ScriptedPerson
    from workbench.scenarios.schema import PersonEntry


@dataclass(eq=False)
class StandIn(Part):
    """Whoever is there decides; the script's person does so where they are let, and until somebody decides by hand."""

    verdict: Verdict
    _written: ScriptedPerson | None = None
    _hand: Hand | None = None
    _looked_through: int = 0
    """How many events were looked through for what was decided by hand."""
    _by_hand: bool = False
    """Whether somebody has decided something here, so that the entries of the script are about other questions."""

    def __post_init__(self) -> None:
        self._let_act(self.run.person)

    # ------------------------------------------------------------ how things stand

    @property
    def _person(self) -> ScriptedPerson | None:
        """The person of the script; None where it has none."""
        if self._written is None and self.opened.scenario.person:
            from workbench.scenarios.person import ScriptedPerson  # with what reads scenarios, after the first frame

            self._written = ScriptedPerson(self.opened.scenario.person)
        return self._written

    @property
    def acting(self) -> bool:
        """Whether the script's person answers what is asked."""
        return self.run.person is not None

    def _let_act(self, person: Person | None) -> None:
        """Let them answer what is asked, also as the model; with None it is for whoever is at the screen."""
        self.run.person = person
        if isinstance(self.run.model, HumanModel):
            self.run.model.attended = person is None

    def _left(self, person: ScriptedPerson) -> bool:
        """Whether the script has anything left for its person to do."""
        model, state = self.run.model, self.run.state
        return bool(person.left(state) or (isinstance(model, HumanModel) and model.prepared_left(state)))

    def _due(self) -> PersonEntry | None:
        """What the script's person does now; None where nothing is theirs to do."""
        person = self._person
        if person is None or self.desk.stand in ("past", "running", "elsewhere") or self._decided_by_hand():
            return None
        match self.run.next:
            case AskPerson(question):
                return person.due(question, self.run.state)
            case AskModel() | TakeStep():
                return person.due(Question(on="step"), self.run.state)
            case Finished(status):
                return person.due(Question(on="stop", status=status), self.run.state)
            case _:
                return None

    def _decided_by_hand(self) -> bool:
        if self._hand is None:
            from workbench.results import Hand

            self._hand = Hand()
        for event in self.run.events[self._looked_through :]:
            # A cap that was raised or a fault that was armed changes no question.
            self._by_hand = (self._hand.take(event) and not isinstance(event, SettingsChanged)) or self._by_hand
        self._looked_through = len(self.run.events)
        return self._by_hand

    def _stand_in(self) -> StandInWord:
        person = self._person
        if person is None:
            return ""
        if self.acting:
            return "acting"
        if self._decided_by_hand():
            return "by hand"
        return "ready" if self._left(person) else "spent"

    def known(self, now: Situation) -> Situation:
        """What the keys depend on, and what the script's person does now."""
        due = self._due()
        return replace(now, stand_in=self._stand_in(), scripted=entry_words(due) if due is not None else "")

    def beside(self, wanted: Bar | None) -> Bar | None:
        """Of a run that ended otherwise than expected, also that the script's person had no hand in it."""
        person = self._person
        if wanted is None or person is None or self.acting or not person.left(self.run.state):
            return wanted
        if not self.verdict.differs or self._due() is not None:
            return wanted
        text = self.worded("its person did not act: {again} starts anew, and {as_scripted} lets them")
        return replace(wanted, body=(*wanted.body, clip((Span(text, "quiet"),), self.bar.width)))

    # ------------------------------------------------------------ acting

    def action_as_scripted(self) -> None:
        """Let the script's person act from here on; again: whoever is there decides."""
        if not self.can("as_scripted"):
            return
        if self.acting:
            self._let_act(None)
            self.say("you decide again")
            self.drawing.redraw()
            return
        due = self._due()
        asked = due is not None and not isinstance(self.run.next, AskModel | TakeStep)
        if asked and not self.bar.guarded("as_scripted"):
            return
        self._let_act(self._person)
        self.say(self.worded("the script's person acts from here on; {as_scripted}: you decide"))
        if asked:
            self.driver.drive(play=self.driver.keep_going)
        self.bar.reset()
        self.drawing.redraw()

    def make(self) -> bool:
        """The next move, where it is the script's person's. Returns whether it is."""
        acts = self.acting and self._due() is not None
        if acts:
            self.driver.drive(play=self.driver.keep_going)
        return acts

    def recorded(self, _: Event) -> None:
        """Act no more once somebody has decided by hand."""
        if self.acting and self._decided_by_hand():
            self._let_act(None)
            self.say("you have decided yourself, so the script's person acts no more")
