"""The parts of the page that a run makes: tables and pictures, by the names of their places."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from .charts import chart, short
from .results import Results

Part = Callable[[Results], str]

IMAGES: Final = "images/performance"
"""Where the pictures lie, beside the page; their names begin with this."""


NOTHING: Final = "Not measured in this run."


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A table in Markdown; figures stand right."""
    rows = [list(row) for row in rows]
    if not rows:
        return NOTHING
    left = [any(isinstance(row[place], str) for row in rows) for place in range(len(head))]
    left = [place == 0 or is_left for place, is_left in enumerate(left)]
    lines = [
        f"| {' | '.join(head)} |",
        f"|{'|'.join('---' if is_left else '--:' for is_left in left)}|",
        *(f"| {' | '.join(_cell(each) for each in row)} |" for row in rows),
    ]
    return "\n".join(lines)


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}".replace(",", " ") if value >= 100 else f"{value:.3g}"
    if isinstance(value, int):
        return f"{value:,}".replace(",", " ")
    return str(value)


def machine(results: Results) -> str:
    """What it was measured on and with."""
    info, cpu = results.machine, results.machine["cpu"]
    versions = ", ".join(f"{name} {version}" for name, version in info["packages"].items())
    dirty = " and changes that were not committed" if results.commit.get("dirty") else ""
    return (
        f"Measured on {results.at[:10]}: {cpu.get('brand_raw', 'an unnamed processor')}, "
        f"{cpu.get('count')} cores, {info['system']} {info['machine']}; "
        f"{info['python_implementation']} {info['python_version']}; {versions}; "
        f"commit {str(results.commit.get('id'))[:10]}{dirty}."
    )


def yardsticks(results: Results) -> str:
    """Every figure that was asked for, and what was reached."""
    rows = []
    for each in results.yardsticks():
        reached, asked, bound = each["reached"], each["asked"], each["bound"]
        held = reached <= asked if bound == "at most" else reached >= asked
        unit = "" if each["unit"] == "times" else f" {each['unit']}"
        rows.append(
            (
                each["what"],
                f"{bound} {asked:g}{unit}",
                f"{_cell(float(reached))}{unit}",
                "yes" if held else "**no**",
            )
        )
    missed = sum(row[3] != "yes" for row in rows)
    counted = f"{len(rows) - missed} of {len(rows)} are reached."
    return counted + "\n\n" + table(["", "asked", "reached", ""], rows)


def peers(results: Results) -> str:
    """Events a second by engine and number of rules."""
    return _race(results, "peers")


def filters(results: Results) -> str:
    """The same of rules that are filters alone."""
    return _race(results, "peers, filters alone")


def _race(results: Results, group: str) -> str:
    told = results.figures("peer", group=group)
    if not told:
        return NOTHING
    numbers = sorted({each["rules"] for each in told})
    names = list(dict.fromkeys(each["peer"] for each in told))
    by = {(each["peer"], each["rules"]): each for each in told}
    own = [_middle([each["wakeful_events_per_second"] for each in told if each["rules"] == number])
           for number in numbers]  # fmt: skip
    rows: list[list[Any]] = [["**wakeful**", *(short(each) for each in own)]]
    for name in names:
        row: list[Any] = [name]
        for number in numbers:
            each = by.get((name, number))
            row.append(
                ""
                if each is None
                else f"{short(each['events_per_second'])} ({_ratio(each['ahead'])})"
            )
        rows.append(row)
    notes = [
        f"- {name}: {each['differs']}."
        for name in names
        if (each := next(one for one in told if one["peer"] == name))["differs"]
    ]
    head = ["events a second", *(f"{_cell(number)} rules" for number in numbers)]
    said = "\n\nWhat differs in what they find:\n\n" + "\n".join(notes) if notes else ""
    return table(head, rows) + said


def _ratio(ahead: float) -> str:
    return f"{_cell(ahead)} x" if ahead >= 1 else f"1/{_cell(1 / ahead)} x"


def _middle(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]


def growth(results: Results) -> str:
    """Events a second, along each axis."""
    rows = [
        (name, number, short(rate), 1e6 / rate)
        for axis, name in (
            ("rules", "rules"),
            ("sessions", "sessions"),
            ("waits armed", "waits armed"),
            ("rules, end to end", "rules, from log lines to decisions' lines"),
        )
        for number, rate in results.axis(
            axis, "events_per_second", **({"kind": "mixed"} if axis == "rules" else {})
        )
    ]
    return table(["along", "how many", "events a second", "microseconds an event"], rows)


def kinds(results: Results) -> str:
    """Events a second by kind of rule."""
    told = results.figures("kind", "events_per_second", axis="rules")
    rows = [(each["kind"], each["number"], short(each["events_per_second"])) for each in told]
    return table(["rules that", "rules", "events a second"], rows)


def due(results: Results) -> str:
    """What falls due."""
    rows = [
        (name, number, cost)
        for axis, name in (
            ("waits due at once", "waits that fall due in one call"),
            ("schedules due", "schedules due in a minute, of 10 000"),
            ("plugin watchers", "watchers of a plugin's event, among 10 000 automations"),
        )
        for number, cost in results.axis(axis, "microseconds_each")
    ]
    return table(["", "how many", "microseconds each"], rows)


def load(results: Results) -> str:
    """Reading, checking and compiling rules."""
    told = results.figures("format", "milliseconds", group="load")
    rows = [(each["format"], each["rules"], each["milliseconds"], each["parsing"]) for each in told]
    return table(["from", "rules", "ms a rule", "of which parsing"], rows)


def replay(results: Results) -> str:
    """A replay beside decoding alone, and by hand."""
    rows = []
    for each in results.figures("replayed_per_second"):
        rows += [
            ("decoded by msgspec into its own records", short(each["decoded_per_second"])),
            ("decoded, made into inputs and matched by hand", short(each["by_hand_per_second"])),
            ("**replayed**", f"**{short(each['replayed_per_second'])}**"),
        ]
    return table(["a native log, a thousand rules", "events a second"], rows)


def readers(results: Results) -> str:
    """Each format's reader beside decoding its lines."""
    told = results.figures("to_decoding", group="readers")
    rows = [(each["format"], short(each["lines_per_second"]), each["to_decoding"]) for each in told]
    return table(["format", "lines a second", "times decoding alone"], rows)


def memory(results: Results) -> str:
    """What is held."""
    rows = [
        (f"a wait, where a session has {each['waits']}", f"{each['bytes']:.0f} bytes")
        for each in results.figures("waits", "bytes")
    ]
    rows += [
        (each["what"], f"{_cell(float(each['reached']))} {each['unit']}")
        for each in results.yardsticks()
        if each["unit"] in ("bytes", "MB") and "where a session has four" not in each["what"]
    ]
    return table(["", "held"], rows)


def decisions(results: Results) -> str:
    """What the gate adds to a match."""
    told = [each for each in results.yardsticks() if each["what"].startswith("a decision (")]
    rows = [(each["what"].removesuffix(", to its record"), each["reached"]) for each in told]
    return table(["", "times the making of its record"], rows)


def cron(results: Results) -> str:
    """Microseconds a question, of each library."""
    told = results.figures("question", "microseconds")
    names = list(told[0]["microseconds"]) if told else []
    rows = [(each["question"], *(each["microseconds"][name] for name in names)) for each in told]
    return table(["microseconds", *names], rows)


PARTS: Final[dict[str, Part]] = {
    part.__name__: part
    for part in (
        machine, yardsticks, peers, filters, growth, kinds, due, load, replay, readers, memory,
        decisions, cron,
    )
}  # fmt: skip
"""What stands in the page between ``<!-- measured: NAME -->`` and ``<!-- /measured -->``."""


def pictures(results: Results) -> dict[str, str]:
    """The SVG files by name; none where nothing of them was measured."""
    told = results.figures("peer", group="peers")
    lines: dict[str, list[tuple[float, float]]] = {"wakeful": []}
    for number in sorted({each["rules"] for each in told}):
        own = [each["wakeful_events_per_second"] for each in told if each["rules"] == number]
        lines["wakeful"].append((number, _middle(own)))
    for each in told:
        lines.setdefault(each["peer"], []).append((each["rules"], each["events_per_second"]))
    growing = {
        name: results.axis(axis, "events_per_second", **equal)
        for name, axis, equal in (
            ("rules", "rules", {"kind": "mixed"}),
            ("rules, plain engine", "rules, plain", {"kind": "mixed"}),
            ("sessions, 500 rules", "sessions", {}),
        )
    }
    found = {}
    if lines["wakeful"]:
        found["peers"] = chart(
            "Rules, four of which watch each event", "rules", "events a second", lines
        )  # fmt: skip
    if all(growing.values()):
        found["growth"] = chart(
            "A busy day, ten rules watching each session", "how many", "events a second", growing
        )  # fmt: skip
    return found
