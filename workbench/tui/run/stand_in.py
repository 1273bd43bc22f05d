"""The person of the script, who can act in the place of the one at the screen, as they do where nobody is there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.core.events import Event, SettingsChanged
from workbench.core.loop import AskModel, AskPerson, Finished, TakeStep
from workbench.core.ports import Person, Question
from workbench.models.human import HumanModel
from workbench.tui.run.moving import Moving
from workbench.tui.situation import Situation, StandInWord
from workbench.view.bars import Bar
from workbench.view.entries import Span
from workbench.view.lines import clip
from workbench.view.standing_in import entry_words

if TYPE_CHECKING:
    from workbench.opening import Opened
    from workbench.results import Hand
    from workbench.scenarios.person import ScriptedPerson
    from workbench.scenarios.schema import PersonEntry


class StandIn(Moving):
    """Whoever is there decides; the script's person does so where they are let, and until somebody decides by hand."""

    def __init__(self, opened: Opened, *, play: bool = False, until: int | None = None) -> None:
        super().__init__(opened, play=play, until=until)
        self._written: ScriptedPerson | None = None
        self._hand: Hand | None = None
        self._looked_through = 0
        """How many events were looked through for what was decided by hand."""
        self._by_hand = False
        """Whether somebody has decided something here, so that the entries of the script are about other questions."""
        self._let_act(self.run_.person)

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
        return self.run_.person is not None

    def _let_act(self, person: Person | None) -> None:
        """Let them answer what is asked, also as the model; with None it is for whoever is at the screen."""
        self.run_.person = person
        if isinstance(self.run_.model, HumanModel):
            self.run_.model.attended = person is None

    def _left(self, person: ScriptedPerson) -> bool:
        """Whether the script has anything left for its person to do."""
        model, state = self.run_.model, self.run_.state
        return bool(person.left(state) or (isinstance(model, HumanModel) and model.prepared_left(state)))

    def _due(self) -> PersonEntry | None:
        """What the script's person does now; None where nothing is theirs to do."""
        person = self._person
        if person is None or self.at_work or self.desk.looking_back or self._decided_by_hand():
            return None
        match self.run_.next:
            case AskPerson(question):
                return person.due(question, self.run_.state)
            case AskModel() | TakeStep():
                return person.due(Question(on="step"), self.run_.state)
            case Finished(status):
                return person.due(Question(on="stop", status=status), self.run_.state)
            case _:
                return None

    def _decided_by_hand(self) -> bool:
        if self._hand is None:
            from workbench.results import Hand

            self._hand = Hand()
        for event in self.run_.events[self._looked_through :]:
            # A cap that was raised or a fault that was armed changes no question.
            self._by_hand = (self._hand.take(event) and not isinstance(event, SettingsChanged)) or self._by_hand
        self._looked_through = len(self.run_.events)
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

    @property
    def situation(self) -> Situation:
        now, due = super().situation, self._due()
        return replace(now, stand_in=self._stand_in(), scripted=entry_words(due) if due is not None else "")

    # ------------------------------------------------------------ what is shown

    def wanted_bar(self) -> Bar | None:
        """As it is; of a run that ended otherwise than expected, also that the script's person had no hand in it."""
        wanted, person = super().wanted_bar(), self._person
        if wanted is None or person is None or self.acting or not person.left(self.run_.state):
            return wanted
        now = self.situation
        if not now.differs or now.scripted:
            return wanted
        text = self.worded("its person did not act: {again} starts anew, and {as_scripted} lets them")
        line = clip((Span(text, "quiet"),), max(20, self.size.width - 5))
        return replace(wanted, body=(*wanted.body, line))

    # ------------------------------------------------------------ acting

    def action_as_scripted(self) -> None:
        """Let the script's person act from here on; again: whoever is there decides."""
        if not self.can("as_scripted"):
            return
        if self.acting:
            self._let_act(None)
            self.say("you decide again")
            self.redraw()
            return
        due = self._due()
        asked = due is not None and not isinstance(self.run_.next, AskModel | TakeStep)
        if asked and not self.guarded("as_scripted"):
            return
        self._let_act(self._person)
        self.say(self.worded("the script's person acts from here on; {as_scripted}: you decide"))
        if asked:
            self.drive(play=self.keep_going)
        self.reset_bar()
        self.redraw()

    def _acts(self, action: str) -> bool:
        """Whether the next move is the script's person's, and can be made."""
        return self.acting and self._due() is not None and self.can(action)

    def action_move(self) -> None:
        if self._acts("move"):
            self.keep_going = False
            self.drive(play=False)
        else:
            super().action_move()

    def action_run(self) -> None:
        if self._acts("run"):
            self.keep_going = True
            self.drive(play=True)
        else:
            super().action_run()

    def _recorded(self, event: Event) -> None:
        super()._recorded(event)
        if self.acting and self._decided_by_hand():
            self._let_act(None)
            self.say("you have decided yourself, so the script's person acts no more")
