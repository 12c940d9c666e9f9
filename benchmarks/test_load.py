"""Rules read, checked and compiled; and one rule saved in an engine that is at work.

Run with ``pytest benchmarks/test_load.py -s``. Reading YAML is measured beside parsing the same
text with the parser that is used, which is most of it.
"""

import json
from io import StringIO
from itertools import islice

import pytest
from measuring import in_turns, once, smaller, tell, yardstick
from ruamel.yaml import YAML
from workloads import MATCHING, automation, automations, day, rules_of

from wakeful import Engine, SessionTrigger, load_rules
from wakeful.model.events import DefinitionRemoved, DefinitionSaved

TURNS = 3
CONFIGS = (
    {},
    {"count": {"n": 3, "consecutive": True, "within": "5m"}},
    {"then": {"kind": "event", "event": "turnFailed", "within": "10m"}},
    {"then": {"kind": "absent", "event": "toolCalled", "for": "5m"}},
)


def written(number):
    """So many rules of the four kinds, an automation each, as data."""
    return {
        "automations": [
            {
                "id": f"rule-{place}",
                "title": f"Rule {place}",
                "message": {"text": "{{event}} in {{sessionTitle}}: look at it."},
                "triggers": [
                    {
                        "id": "t1",
                        "kind": "event",
                        "type": "session",
                        "title": "Look at this",
                        "events": [{"id": "toolFailed"}],
                        "config": {
                            **CONFIGS[place % len(CONFIGS)],
                            "filter": {"projects": [f"project-{place % 50}"]},
                        },
                    }
                ],
            }
            for place in range(number)
        ]
    }


def compiled(path):
    """The rules of a file in an engine."""
    return Engine(load_rules(path).automations, at=0)


def test_rules_from_yaml(benchmark, capsys, tmp_path):
    """Beside what parses the YAML, and does nothing with it."""
    benchmark.group = "load"
    number = smaller(benchmark, 1_000, 100)
    turns = smaller(benchmark, TURNS, 1)
    form = YAML(typ="safe", pure=True)
    form.default_flow_style = False
    text = StringIO()
    form.dump(written(number), text)
    path = tmp_path / "rules.yaml"
    path.write_text(text.getvalue(), encoding="utf-8")

    def parse():
        for _ in YAML(typ="safe", pure=True).parse(path.read_text(encoding="utf-8")):
            pass

    def measure():
        return in_turns(turns, parse, lambda: compiled(path))

    alone, whole = once(benchmark, measure)
    figures = {"format": "YAML", "rules": number, "milliseconds": whole / number * 1e3,
               "parsing": alone / number * 1e3}  # fmt: skip
    tell(benchmark, capsys, "a rule from YAML", figures)
    what = "rules read, checked and compiled, to parsing their YAML"
    yardstick(benchmark, capsys, what, whole / alone, 1.3)


def test_rules_from_json(benchmark, capsys, tmp_path):
    benchmark.group = "load"
    number = smaller(benchmark, 10_000, 100)
    turns = smaller(benchmark, TURNS, 1)
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(written(number)), encoding="utf-8")

    def measure():
        return in_turns(turns, lambda: json.loads(path.read_text()), lambda: compiled(path))

    alone, whole = once(benchmark, measure)
    each = whole / number * 1e3
    figures = {"format": "JSON", "rules": number, "milliseconds": each,
               "parsing": alone / number * 1e3}  # fmt: skip
    tell(benchmark, capsys, "a rule from JSON", figures)
    what = f"a rule of {number:,}, read, checked and compiled from JSON"
    yardstick(benchmark, capsys, what, each, 0.5, unit="ms")


@pytest.mark.parametrize("number", [10, 100, 1_000])
def test_reading_by_rules(benchmark, tmp_path, number):
    """The way to the engine from JSON, by how many there are."""
    benchmark.group = "load by rules"
    benchmark.extra_info |= {"axis": "load", "number": number}
    number = smaller(benchmark, number, 100)
    path = tmp_path / "rules.json"
    path.write_text(json.dumps(written(number)), encoding="utf-8")
    made = benchmark.pedantic(lambda: compiled(path), rounds=3)
    assert made.statistics().rules == number
    if benchmark.stats is not None:
        each = benchmark.stats.stats.median / number * 1e6
        benchmark.extra_info["microseconds_each"] = each


def saved(number, kind):
    """A definition with one rule that watches a project of the day."""
    rule = rules_of(kind, frozenset({f"live-{number % 50}"}))[1]
    trigger = SessionTrigger(id="t", events=tuple(sorted(rule.events)), rule=rule)
    return automation(f"saved-{number}", [trigger])


def saves(engine, kind, count):
    """Rules saved and taken out again, one after another, so that the engine stays what it is."""
    steps = [
        [
            DefinitionSaved(automation=saved(number, kind), at=engine.now),
            DefinitionRemoved(automation=f"ahp-automation:/saved-{number}", at=engine.now),
        ]
        for number in range(count)
    ]
    return lambda: [engine.feed_many(step) for step in steps]


def at_work(rules, sessions):
    """An engine with so many rules, and sessions with turns running."""
    engine = Engine(automations(rules) if rules else [], settings=MATCHING, at=0)
    if sessions:
        engine.feed_many(islice(day(sessions), 4 * sessions))
    return engine


def test_saving_a_rule(benchmark, capsys):
    """One rule saved among ten thousand, with as many sessions, over one in an empty engine."""
    benchmark.group = "load"
    rules = smaller(benchmark, 10_000, 100)
    count = smaller(benchmark, 200, 2)
    turns = smaller(benchmark, 5, 1)

    def measure():
        jobs = [saves(engine, "count", count) for engine in (at_work(0, 0), at_work(rules, rules))]
        return in_turns(turns, *jobs)

    empty, full = once(benchmark, measure)
    figures = {"empty, microseconds": empty / count * 1e6, "full, microseconds": full / count * 1e6}
    tell(benchmark, capsys, "a rule saved and removed", figures)
    what = f"a rule saved among {rules:,} and as many sessions, to an empty engine"
    yardstick(benchmark, capsys, what, full / empty, 3)


def test_saving_a_rule_that_times_a_silence(benchmark, capsys):
    """In proportion to running turns: twice the turns, twice the time."""
    benchmark.group = "load"
    few = smaller(benchmark, 5_000, 50)
    turns = smaller(benchmark, 5, 1)

    def measure():
        engines = [at_work(100, sessions) for sessions in (few, 2 * few)]
        running = [engine.statistics().turns for engine in engines]
        took = in_turns(turns, *(saves(engine, "silence", 1) for engine in engines))
        return [seconds / turns for seconds, turns in zip(took, running, strict=True)]

    of_few, of_many = once(benchmark, measure)
    figures = {"microseconds for each running turn": of_many * 1e6}
    tell(benchmark, capsys, "a rule that times a silence, saved", figures)
    what = "a rule that times a silence, saved: for each running turn, twice the turns over once"
    yardstick(benchmark, capsys, what, of_many / of_few, 1.3)
