"""A session as a trace follows it: its turn, its state last told, and its inputs."""

from wakeful.core.looking import NOWHERE, Look
from wakeful.explain.clauses import State
from wakeful.explain.steps import Taken
from wakeful.model.events import ENDINGS, SessionEnded, SessionEvent, TurnStarted


class Track:
    """What a trace keeps of one session.

    Attributes:
        inputs: What was taken of the session, in order.
        look: What rules had in it after the last input.
        turn: The start of the turn that runs.
        touched_at: The instant it did anything last.
        state: The state last told, as the engine has it.
    """

    def __init__(self) -> None:
        self.inputs: list[Taken] = []
        self.look: Look = NOWHERE
        self.turn: Taken | None = None
        self.touched_at = 0
        self.state = State()
        self._told: Taken | None = None

    def take(self, taken: Taken) -> None:
        """Follow an input of the session."""
        given = taken.input
        self.inputs.append(taken)
        self.touched_at = taken.at
        match given:
            case SessionEvent():
                self.state = State(given.running, given.queued, given.turn_tool_calls)
                self._told = taken
                if given.kind in ENDINGS:
                    self.turn = None
            case TurnStarted():
                self.state = State(running=True, queued=self.state.queued, calls=0)
                self.turn = taken
            case SessionEnded():
                self.turn = self._told = None
                self.state = State()
            case _:
                pass

    def sources(self) -> tuple[Taken, ...]:
        """The inputs that the session's state comes from: turn, state told, last sign of life."""
        last = self.inputs[-1] if self.inputs else None
        found = {each.number: each for each in (self.turn, self._told, last) if each is not None}
        return tuple(found[number] for number in sorted(found))
