"""An engine in the middle of a day, fed in chunks."""

from itertools import islice

from workloads import MATCHING, automations, day

from wakeful import Engine, Match

CHUNK = 5_000


class Fed:
    """An engine in the middle of a day, and the day to come."""

    def __init__(self, engine, stream, *, warm=CHUNK, passed=CHUNK):
        """Feed ``warm`` of the first ``passed`` inputs, the last of them.

        A slow engine is fed fewer, and yet comes to the same place of the day: how it begins,
        with a turn in every session, costs other than how it goes on.
        """
        self.engine = engine
        self.stream = stream
        for _ in islice(stream, max(0, passed - warm)):
            pass
        engine.feed_many(islice(stream, warm))

    def chunk(self, size=CHUNK):
        """What comes next."""
        return list(islice(self.stream, size))


def fed_with(number, kind="mixed", sessions=1_000):
    """So many rules of a kind, ten of which watch each session."""
    return Fed(Engine(automations(number, kind), settings=MATCHING), day(sessions))


def plain_matches(outputs):
    """Matches as the plain engine gives them."""
    return [
        (each.at, each.automation, each.trigger, each.session, each.event, each.count)
        for each in outputs
        if isinstance(each, Match)
    ]
