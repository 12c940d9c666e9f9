"""One engine's work done by two halves: sessions dealt out, matches merged, decided once."""

import zlib
from collections.abc import Iterable, Sequence
from heapq import merge
from operator import itemgetter

from wakeful.core.deciding import Deciding, Placed, is_brought_at, place_of_input
from wakeful.core.matching import CONCERNS_RULES, OF_SESSIONS, Matching
from wakeful.core.numbering import Numbering
from wakeful.core.settings import Settings
from wakeful.errors import InputRefusedError
from wakeful.model.automations import Automation
from wakeful.model.events import DefinitionSaved, Input, Resumed, Tick
from wakeful.model.outputs import Match, Output

Numbered = tuple[int, Input]


def part_of(session: str, parts: int) -> int:
    return zlib.crc32(session.encode()) % parts


def numbered(inputs: Iterable[Input], settings: Settings) -> list[Numbered]:
    """The inputs that one engine would take, as it would."""
    numbering = Numbering(settings)
    taken = []
    for item in inputs:
        try:
            given = numbering.take(item)
        except InputRefusedError:
            continue
        taken.append((numbering.number, given))
    return taken


def inputs_of_part(log: Sequence[Numbered], part: int, parts: int) -> list[Numbered]:
    """What one half is fed: its sessions, what concerns rules, and time where it has to know it."""
    resumed = {number - 1 for number, item in log if type(item) is Resumed}
    told = {*resumed, log[-1][0]}
    found = []
    for number, item in log:
        own = type(item) in OF_SESSIONS and part_of(item.session, parts) == part
        if own or type(item) in CONCERNS_RULES:
            found.append((number, item))
        elif number in told:
            found.append((number, Tick(item.at)))
    return found


def matched(
    log: Sequence[Numbered], automations: Sequence[Automation], settings: Settings, at: int
) -> list[Placed]:
    """The matches of one part, with their places."""
    matching = Matching(automations, at=at, settings=settings)
    found = []
    for number, item in log:
        found += matching.take(item, number)
        matching.check()
    return [(match.key, match) for match in found]


def matched_anew(
    log: Sequence[Numbered],
    automations: Sequence[Automation],
    settings: Settings,
    at: int,
    *,
    only: str,
    since: int,
) -> list[Placed]:
    """The same of one automation, which begins from nothing with the input ``since``."""
    matching = Matching(automations, at=at, settings=settings, only={only}, since=since)
    return [(m.key, m) for number, item in log for m in matching.take(item, number)]


def outputs_of_halves(
    inputs: Sequence[Input], automations: Sequence[Automation], settings: Settings, *, parts: int
) -> list[Output]:
    """What the halves give, an automation matched anew where it was switched on again."""
    log = numbered(inputs, settings)
    if not log:
        return []
    at = log[0][1].at
    deciding = Deciding(automations, at=at, settings=settings)
    logs = [inputs_of_part(log, part, parts) for part in range(parts)]
    rest = in_order(log, [matched(each, automations, settings, at) for each in logs])
    out: list[Output] = []
    went_off: set[str] = set()
    while rest:
        step = next_step(rest)
        out += deciding.decide(step)
        deciding.check()
        del rest[: len(step)]
        key, item = step[0]
        if isinstance(item, DefinitionSaved):
            resource = item.automation.resource
            if resource in went_off and deciding.is_on(resource):
                anew = [
                    matched_anew(each, automations, settings, at, only=resource, since=key.sequence)
                    for each in logs
                ]
                kept = [each for each in rest if not is_match_of(resource, each[1])]
                rest = list(merge(kept, *anew, key=itemgetter(0)))
            went_off.discard(resource)
        went_off.update(deciding.take_switched_off())
    return out


def in_order(log: Sequence[Numbered], found: Sequence[Sequence[Placed]]) -> list[Placed]:
    """Inputs and the matches of parts by their places."""
    inputs = [(place_of_input(item.at, number), item) for number, item in log]
    return list(merge(inputs, *found, key=itemgetter(0)))


def next_step(placed: Sequence[Placed]) -> list[Placed]:
    """The first of them; of an input, with its matches."""
    key, item = placed[0]
    if isinstance(item, Match):
        return [placed[0]]
    size = 1
    while (
        size < len(placed)
        and isinstance(placed[size][1], Match)
        and is_brought_at(placed[size][0])
        and placed[size][0].sequence == key.sequence
    ):
        size += 1
    return list(placed[:size])


def is_match_of(resource: str, what: Input | Match) -> bool:
    return isinstance(what, Match) and what.automation == resource
