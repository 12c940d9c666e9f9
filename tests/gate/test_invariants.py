"""What no order of inputs may break (issue "from a match to a decision", invariants)."""

from collections import Counter, defaultdict

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from gate.gate_world import World, automation
from wakeful.core.sight import GrantSight
from wakeful.model.automations import AfterDate, AfterRuns
from wakeful.model.outputs import DecisionKind, Reason

NAMES = ("a", "b")
CAP = 3
WINDOW = 50
FIRST = {
    DecisionKind.START,
    DecisionKind.HOLD,
    DecisionKind.FOLD,
    DecisionKind.STEER,
    DecisionKind.DROP,
}

shapes = st.fixed_dictionaries(
    {
        "overlap": st.sampled_from(["queue", "steer", "parallel", "skip"]),
        "pinned": st.booleans(),
        "pinned_session": st.sampled_from([None, "chat"]),
        "enabled": st.sampled_from([True, True, True, False]),
        "owner": st.sampled_from([None, "user:ann"]),
        "disable_conditions": st.sampled_from(
            [
                (),
                (),
                (AfterRuns(max=2),),
                (AfterDate(date=60),),
                (AfterRuns(max=5), AfterDate(date=90)),
            ]
        ),
    }
).filter(lambda shape: not (shape["pinned"] and shape["overlap"] == "parallel"))
names = st.sampled_from(NAMES)
sessions = st.sampled_from(["s1", "s2", "work-1", "work-2", "chat"])
chats = st.sampled_from(["work-1", "work-2", "chat"])


class Gates(RuleBasedStateMachine):
    """Two automations, and everything that can happen to them, in any order."""

    @initialize(first=shapes, second=shapes, run_time=st.sampled_from(["log", "log", 7, "none"]))
    def begin(self, first, second, run_time):
        self.world = World(
            automation("a", **first),
            automation("b", **second),
            sight=GrantSight(),
            cap=CAP,
            cap_window=WINDOW,
            run_time=run_time,
        )
        self.shapes = {"a": first, "b": second}
        self.charged = defaultdict(list)
        self.numbers = 0

    def runs(self, name):
        """The runs of an automation that are going, by name."""
        return [
            run.name
            for run in self.world.gate._doors[f"ahp-automation:/{name}"].runs.going.values()
        ]

    def note(self, decisions, *, matches=0, occurrence=False):
        """Look at the decisions of one input."""
        for each in decisions:
            if each.kind is DecisionKind.HOLD:
                shape = self.shapes[each.automation[-1]]
                assert shape["overlap"] != "skip" or each.reason is Reason.NOT_DELIVERED
            charges = each.kind in {DecisionKind.START, DecisionKind.STEER, DecisionKind.HOLD}
            if charges and each.trigger == "t" and each.reason is None:
                self.charged[each.automation].append(each.at)
            if each.kind in {DecisionKind.START, DecisionKind.RELEASE}:
                pinned = self.shapes[each.automation[-1]]["pinned"]
                assert not pinned or len(self.runs(each.automation[-1])) <= 1
        if matches:
            firsts = [each for each in decisions if each.kind in FIRST and len(each.key.order) == 3]
            assert len(firsts) == matches

    @rule(name=names, session=sessions, count=st.integers(1, 3), twice=st.booleans())
    def match(self, name, session, count, twice):
        if f"ahp-automation:/{name}" not in self.world.gate._doors:
            return
        matched = (name, name) if twice else (name,)
        decisions = self.world.matches(*matched, session=session, count=count)
        self.note(decisions, matches=len(matched))

    @rule(name=names)
    def occurrence(self, name):
        door = self.world.gate._doors.get(f"ahp-automation:/{name}")
        if door is None or door.automation is None:
            return
        self.note(self.world.occurrence(name))

    @rule(name=names, session=st.one_of(st.none(), chats))
    def started(self, name, session):
        self.numbers += 1
        self.note(self.world.started(f"r{self.numbers}", session, name))

    @rule(name=names, session=chats, data=st.data())
    def linked(self, name, session, data):
        if f"ahp-automation:/{name}" in self.world.gate._doors and self.runs(name):
            self.note(self.world.linked(data.draw(st.sampled_from(self.runs(name))), session, name))

    @rule(
        name=names,
        outcome=st.sampled_from(["completed", "failed", "notStarted"]),
        data=st.data(),
    )
    def settled(self, name, outcome, data):
        if f"ahp-automation:/{name}" in self.world.gate._doors and self.runs(name):
            run = data.draw(st.sampled_from(self.runs(name)))
            self.note(self.world.settled(run, outcome, name))

    @rule(name=names, data=st.data())
    def steer_failed(self, name, data):
        door = self.world.gate._doors.get(f"ahp-automation:/{name}")
        steered = [] if door is None else [run for run in door.runs.known.values() if run.steers]
        if not steered:
            return
        run = data.draw(st.sampled_from(steered))
        decisions = self.world.steer_failed(run.name, name)
        self.note(decisions)
        told = [each for each in decisions if each.reason is Reason.NOT_DELIVERED]
        assert [each.kind in {DecisionKind.HOLD, DecisionKind.FOLD} for each in told] == [True]

    @rule(name=names, request=st.sampled_from(["", "p1", "p2", "p3"]))
    def press(self, name, request):
        decisions = self.world.press(request, name)
        self.note(decisions)
        assert [
            each.kind in {DecisionKind.START, DecisionKind.ANSWER, DecisionKind.REFUSE}
            for each in decisions
        ] == [True]

    @rule(session=chats)
    def turn(self, session):
        self.world.turn(session)

    @rule(session=chats)
    def turn_over(self, session):
        self.note(self.world.turn_over(session))

    @rule(name=names, shape=shapes)
    def save(self, name, shape):
        self.shapes[name] = shape
        self.note(self.world.save(automation(name, **shape)))

    @rule(name=names)
    def remove(self, name):
        self.note(self.world.remove(name))

    @rule(grants=st.sampled_from([[], ["session:read"]]))
    def grants(self, grants):
        self.world.sight.change("user:ann", grants)

    @rule()
    def interrupted(self):
        self.note(self.world.interrupted())

    @rule(by=st.integers(1, 40))
    def pass_time(self, by):
        until = self.world.now + by
        gate = self.world.gate
        while True:
            dates = gate.next_date
            settles = gate.next_settle
            due = min(each for each in (dates, settles, until + 1) if each is not None)
            if due > until:
                break
            self.note(self.world.dates(due) if due == dates else self.world.settle_due(due))
        self.world.now = until

    # Invariants

    @invariant()
    def a_wake_waits_only_while_something_is_going_and_its_automation_is_on(self):
        for door in self.doors():
            if door.waiting is not None:
                assert door.on
                assert door.is_going

    @invariant()
    def the_gate_keeps_the_chats_of_pinned_automations(self):
        kept = {door.chat for door in self.doors() if door.chat is not None}
        assert set(self.world.gate.chats) == kept

    @invariant()
    def no_window_holds_more_charged_wakes_than_the_cap(self):
        for instants in self.charged.values():
            for at in instants:
                assert sum(at - WINDOW < other <= at for other in instants) <= CAP

    @invariant()
    def every_hold_ends_once_or_still_waits(self):
        open_holds = Counter()
        for each in self.world.made:
            ends = each.kind is DecisionKind.RELEASE or (
                each.kind is DecisionKind.DROP
                and each.reason is Reason.DISABLED
                and self.is_wait(each)
            )
            if each.kind is DecisionKind.HOLD:
                open_holds[each.automation] += 1
            elif ends:
                open_holds[each.automation] -= 1
            assert open_holds[each.automation] in (0, 1)
        waiting = Counter(each.automation for each in self.world.gate.waiting())
        assert +open_holds == waiting

    @invariant()
    def places_are_unique_and_name_the_order(self):
        places = [(each.automation, each.key) for each in self.world.made]
        assert len(places) == len(set(places))

    def doors(self):
        return self.world.gate._doors.values()

    @staticmethod
    def is_wait(decision):
        """Whether a drop is of what waited, and no first decision on a wake."""
        order = decision.key.order
        if decision.key.rank == 2:
            return len(order) > 2
        return not (len(order) == 3 and order[0] < len(NAMES))

    @invariant()
    def counts_add_up(self):
        """What starts, is steered, released, dropped or waits is what was decided on."""
        waited = sum(
            each.count
            for each in self.world.made
            if each.kind in {DecisionKind.HOLD, DecisionKind.FOLD}
        )
        let_go = sum(
            each.count
            for each in self.world.made
            if each.kind is DecisionKind.RELEASE
            or (
                each.kind is DecisionKind.DROP
                and each.reason is Reason.DISABLED
                and self.is_wait(each)
            )
        )
        assert waited == let_go + sum(each.count for each in self.world.gate.waiting())


TestGates = Gates.TestCase
TestGates.settings = settings(
    max_examples=60,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
