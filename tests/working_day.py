"""Writes the recorded day that comes with the package: ``python tests/working_day.py``.

The log is made up, by us, to be worth looking at: sessions of three projects with three
agents, work that goes well, and the kinds of trouble the shipped rules are about, each beside
a neighbour that looks like it and is none. It is the same at every call; the file that is
committed is what this module writes, and a test holds the two together.
"""

import json
import random
from pathlib import Path
from typing import Any

START = 1_791_356_400_000  # 2026-10-07T07:00:00Z, a Wednesday
TARGET = Path(__file__).parents[1] / "src" / "wakeful" / "data" / "a-working-day.jsonl"


def clock(text: str) -> int:
    """The instant of ``HH:MM:SS`` on that day."""
    hours, minutes, seconds = (float(part) for part in text.split(":"))
    return START + round(((hours - 7) * 3_600 + minutes * 60 + seconds) * 1_000)


def iso(at: int) -> str:
    seconds, milliseconds = divmod(at - START, 1_000)
    hours, rest = divmod(seconds, 3_600)
    return f"2026-10-07T{hours + 7:02d}:{rest // 60:02d}:{rest % 60:02d}.{milliseconds:03d}Z"


class Day:
    """The records of the day, in the order of their instants."""

    def __init__(self) -> None:
        self._records: list[tuple[int, int, dict[str, Any]]] = []
        self.dice = random.Random(7)

    def add(self, at: int, kind: str, *, order: int | None = None, **members: Any) -> None:
        """Add a record; ``order`` is where it stands in the log when not at its instant."""
        record = {"at": iso(at), "kind": kind, **members}
        self._records.append((at if order is None else order, len(self._records), record))

    def between(self, low: int, high: int) -> int:
        """A number of milliseconds, drawn from seconds ``low`` to ``high``."""
        return int((low + (high - low) * self.dice.random()) * 1_000)

    def pick(self, items: list[str]) -> str:
        return items[int(self.dice.random() * len(items))]

    def lines(self) -> str:
        ordered = [record for _, _, record in sorted(self._records, key=lambda item: item[:2])]
        return "".join(
            json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
            for record in ordered
        )


class Chat:
    """One session: says its facts with every event and counts its calls."""

    def __init__(
        self, day: Day, name: str, title: str, *, owner: str, provider: str, automated: bool = False
    ) -> None:
        self.day = day
        self.uri = f"ahp-session://{provider}/local/{name}"
        self.project = name.partition("-")[0]
        self.title = title
        self.facts: dict[str, Any] = {
            "owner": f"user:{owner}",
            "provider": provider,
            "project": self.project,
            "folders": [f"file:///work/{self.project}"],
            **({"automated": True} if automated else {}),
        }
        self.calls = 0
        self.queued = 0

    def start(self, at: int) -> None:
        self.calls = 0
        self.queued = max(self.queued - 1, 0)
        self.day.add(at, "turnStarted", session=self.uri, **self.facts, title=self.title)

    def say(self, at: int) -> None:
        self.day.add(at, "activity", session=self.uri)

    def call(self, at: int, tool: str, arguments: dict[str, Any], *, failed: bool = False) -> None:
        self.calls += 1
        self._event(
            at,
            "toolFailed" if failed else "toolCalled",
            running=True,
            tool={"name": tool, "input": arguments},
        )

    def queue(self, at: int) -> None:
        self.queued += 1
        self._event(at, "messageQueued", running=True)

    def child(self, at: int, child: "Chat") -> None:
        self._event(at, "childFinished", running=True, child=child.uri)

    def end(self, at: int, kind: str = "turnCompleted") -> None:
        self._event(at, kind, running=False)
        if not self.queued:
            self._event(at, "idle", running=False)

    def close(self, at: int) -> None:
        self.day.add(at, "sessionEnded", session=self.uri)

    def _event(self, at: int, kind: str, *, running: bool, **members: Any) -> None:
        self.day.add(
            at,
            kind,
            session=self.uri,
            **self.facts,
            running=running,
            queued=self.queued,
            turnToolCalls=self.calls,
            **members,
        )


FILES = {
    "api": ["login.py", "search.py", "models.py", "routes.py", "tests/test_login.py"],
    "web": ["Table.tsx", "Form.tsx", "useQuery.ts", "theme.css", "Table.test.tsx"],
    "docs": ["index.md", "install.md", "guide/rules.md", "guide/logs.md", "faq.md"],
}


def work(chat: Chat, begin: str, finish: str) -> None:
    """A turn that goes well: reading, editing, looking for things, a call that fails now and then."""
    day, at, stop = chat.day, clock(begin), clock(finish)
    chat.start(at)
    number = 0
    while True:
        at += day.between(5, 20)
        chat.say(at)
        at += day.between(15, 70)
        if at >= stop - 5_000:
            break
        number += 1
        file = day.pick(FILES[chat.project])
        kind = day.dice.random()
        if kind < 0.4:
            chat.call(at, "Read", {"path": file, "offset": number * 40, "at": begin})
        elif kind < 0.6:
            word = day.pick(["password", "query", "TODO", "limit", "render"])
            chat.call(at, "Grep", {"pattern": f"{word}.*{number}", "path": chat.project})
        elif kind < 0.92:
            chat.call(
                at, "Edit", {"path": file, "old": f"line {number}", "new": f"{begin} {number}"}
            )
        else:
            chat.call(at, "Read", {"path": f"old/{file}", "offset": number}, failed=True)
            at += day.between(3, 6)
            chat.call(at, "Glob", {"pattern": f"**/{file}", "turn": begin, "after": number})
    chat.end(stop)


def run(
    day: Day,
    automation: str,
    number: int,
    begin: str,
    finish: str,
    *,
    project: str,
    outcome: str = "completed",
) -> tuple[str, Chat]:
    """A run of a shipped automation: its session works for a while, and the run settles."""
    name = f"ahp-automation-run:/{automation}-{number}"
    resource = f"ahp-automation:/{automation}"
    chat = Chat(
        day,
        f"{project}-{automation}-{number}",
        f"Run {number} of {automation}",
        owner="host",
        provider="claude",
        automated=True,
    )
    at = clock(begin)
    day.add(at, "runStarted", automation=resource, run=name, session=chat.uri)
    chat.start(at + 900)
    stop = clock(finish)
    step = max((stop - at - 20_000) // 4, 4_000)
    for number_of_call in range(1, 4):
        chat.say(at + step * number_of_call - 2_000)
        chat.call(
            at + step * number_of_call,
            "ReadSession",
            {"session": project, "page": number_of_call, "run": name},
        )
    chat.end(stop, "turnCompleted" if outcome == "completed" else "turnFailed")
    day.add(stop + 40, "runSettled", automation=resource, run=name, outcome=outcome)
    return name, chat


def commit_loop(day: Day, chat: Chat) -> None:
    """One commit that a hook refuses ten times, with edits in between, until Ann stops it."""
    commit = {"command": 'git commit -am "Refuse an empty password"'}
    chat.start(clock("07:30:40"))
    chat.call(clock("07:30:58"), "Edit", {"path": "login.py", "old": "if ok", "new": "if word"})
    tries = [
        "07:31:10.2", "07:32:05.6", "07:33:20.1", "07:34:12.9", "07:35:03.4",
        "07:35:55.7", "07:36:48.3", "07:37:40.8", "07:38:30.5", "07:39:05.2",
    ]  # fmt: skip
    for number, text in enumerate(tries):
        at = clock(text)
        chat.say(at - 6_000)
        chat.call(at, "Bash", commit, failed=True)
        chat.call(at + 21_000, "Edit", {"path": "login.py", "old": "word", "new": f"word {number}"})
    chat.end(clock("07:39:40"), "turnCancelled")
    looks_stuck, _ = run(day, "looks-stuck", 1, "07:35:03.7", "07:41:30", project="api")
    run(day, "refusing-hook", 1, "07:34:13.4", "07:36:30", project="api")
    run(day, "repeating-failure", 1, "07:33:20.5", "07:40:10", project="api")
    run(day, "refusing-hook", 2, "07:37:41.3", "07:39:50", project="api")
    # The steer comes while the run's agent has stopped listening.
    day.add(
        clock("07:39:06.3"),
        "steerFailed",
        automation="ahp-automation:/looks-stuck",
        run=looks_stuck,
    )
    run(day, "repeating-failure", 2, "07:40:10.6", "07:43:00", project="api")
    run(day, "looks-stuck", 2, "07:41:30.7", "07:44:10", project="api")
    run(day, "stopped-and-left", 1, "08:09:40.4", "08:12:00", project="api")


def healthy_reruns(chat: Chat) -> None:
    """A test command after each edit: it fails twice, then passes. No loop, and no wake."""
    tests = {"command": "pytest -q tests/test_login.py"}
    chat.start(clock("07:16:05"))
    chat.call(clock("07:16:40"), "Bash", tests, failed=True)
    chat.call(clock("07:17:30"), "Edit", {"path": "login.py", "old": "a", "new": "b"})
    chat.say(clock("07:21:10"))
    chat.call(clock("07:22:00"), "Bash", tests, failed=True)
    chat.call(clock("07:23:10"), "Edit", {"path": "login.py", "old": "b", "new": "c"})
    chat.say(clock("07:26:30"))
    chat.call(clock("07:27:20"), "Bash", tests)
    chat.end(clock("07:27:50"))


def broken_machine(day: Day, guide: Chat, index: Chat, faq: Chat) -> None:
    """A program is missing: three sessions of one machine fail call after call."""
    commands = ["mkdocs build", "python -m mkdocs build", "pipx run mkdocs build"]
    for chat, begin in ((guide, "07:50:00"), (index, "07:51:20"), (faq, "07:52:10")):
        at = clock(begin)
        chat.start(at)
        chat.call(at + 9_000, "Read", {"path": "mkdocs.yml", "for": begin})
        for number, command in enumerate(commands, 1):
            chat.call(at + 9_000 + 14_000 * number, "Bash", {"command": command}, failed=True)
        chat.say(at + 60_000)
        chat.call(at + 75_000, "Bash", {"command": f"pip install mkdocs --target {chat.uri[-5:]}"})
        chat.end(at + 95_000)
    run(day, "failing-tools", 1, "07:50:51.3", "07:56:00", project="docs")
    run(day, "failing-tools", 2, "07:56:00.4", "07:59:30", project="docs")


def silent_turns(day: Day, table: Chat, forms: Chat, search: Chat) -> None:
    """Two turns say nothing for long; a third builds for nine minutes and is no trouble."""
    table.start(clock("08:05:12"))
    table.call(clock("08:06:02"), "Read", {"path": "Table.tsx", "offset": 1})
    forms.start(clock("08:08:20"))
    forms.say(clock("08:08:40"))
    search.start(clock("08:07:00"))
    search.call(clock("08:07:30"), "Edit", {"path": "search.py", "old": "limit", "new": "top"})
    search.call(clock("08:16:40"), "Bash", {"command": "make image"})
    search.end(clock("08:17:05"))
    run(day, "waiting-for-person", 1, "08:11:02.3", "08:14:30", project="web")
    run(day, "long-silent-turn", 1, "08:16:02.5", "08:21:00", project="web")
    run(day, "long-silent-turn", 2, "08:18:40.5", "08:22:30", project="web")
    table.call(clock("08:29:50"), "Bash", {"command": "npm ci"})
    table.end(clock("08:30:30"))
    forms.end(clock("08:24:00"), "turnCancelled")


def failed_turns(day: Day, search: Chat, forms: Chat) -> None:
    """A turn fails and is left alone; another fails and is tried again within a minute."""
    search.start(clock("08:40:00"))
    search.call(clock("08:40:30"), "Grep", {"pattern": "rank", "path": "api"})
    search.end(clock("08:41:10"), "turnFailed")
    run(day, "idle-after-failure", 1, "08:44:10.3", "08:46:30", project="api")
    forms.start(clock("08:42:00"))
    forms.end(clock("08:42:20"), "turnFailed")
    work(forms, "08:43:05", "08:50:00")


def queue_behind_a_turn(day: Day, table: Chat) -> None:
    """Bob writes three times while a turn works; each message waits its turn."""
    table.start(clock("09:00:00"))
    for number in range(1, 11):
        at = clock("09:00:00") + number * 33_000
        table.say(at - 8_000)
        table.call(at, "Edit", {"path": "Table.tsx", "old": f"row {number}", "new": f"r {number}"})
        if number in {1, 5, 7, 9}:  # the first comes early in the turn: nothing to tell
            table.queue(at + 12_000)
    table.end(clock("09:06:10"))
    run(day, "waiting-while-busy", 1, "09:02:57.4", "09:05:40", project="web")
    for begin, finish in (
        ("09:06:11", "09:08:40"),
        ("09:08:41", "09:11:00"),
        ("09:11:01", "09:12:10"),
        ("09:12:11", "09:14:00"),
    ):
        work(table, begin, finish)


def presses(day: Day) -> None:
    """Bob presses Run, presses again while it goes, and a client mixes up its request ids."""
    failing, stuck = "ahp-automation:/failing-tools", "ahp-automation:/looks-stuck"
    day.add(clock("09:20:00"), "press", automation=failing, requestId="press-4be1c0")
    run(day, "failing-tools", 3, "09:20:00.6", "09:23:00", project="docs")
    day.add(clock("09:21:15"), "press", automation=failing, requestId="press-90d7f2")
    day.add(clock("09:21:40"), "press", automation=stuck, requestId="press-4be1c0")


def children(day: Day, search: Chat) -> None:
    """A session hands work to three children and waits for them."""
    search.start(clock("09:40:00"))
    for number, minutes in ((1, 3), (2, 5), (3, 8)):
        at = clock("09:40:00") + number * 15_000
        child = Chat(
            day, f"api-part-{number}", f"Part {number} of the search", owner="ann", provider="codex"
        )
        search.call(at, "CreateSession", {"task": f"part {number}"})
        begin = iso(at)[11:23]
        finish = iso(clock("09:40:00") + minutes * 60_000)[11:23]
        work(child, begin, finish)
        search.child(clock(finish) + 5, child)
        child.close(clock(finish) + 60_000)
    search.end(clock("09:48:30"))


def closing(day: Day, login: Chat, table: Chat, guide: Chat) -> None:
    """The log ends in the middle of things: what waits then is not over."""
    login.start(clock("10:35:30"))
    login.call(clock("10:36:10"), "Read", {"path": "routes.py", "offset": 4_000})
    table.start(clock("10:38:00"))
    table.end(clock("10:38:50"), "turnFailed")
    guide.start(clock("10:39:10"))
    guide.call(clock("10:39:40"), "Bash", {"command": "vale docs"}, failed=True)
    # A record from a machine whose clock is behind, and one of a kind nobody reads.
    day.add(clock("10:39:20"), "activity", order=clock("10:39:41"), session=guide.uri)
    day.add(clock("10:39:45"), "note", text="lunch")
    guide.say(clock("10:40:00"))


def working_day() -> str:
    """The log, whole."""
    day = Day()
    login = Chat(
        day, "api-login", "Login accepts an empty password", owner="ann", provider="claude"
    )
    search = Chat(day, "api-search", "Rank search results", owner="ann", provider="codex")
    table = Chat(day, "web-table", "Sort the orders table", owner="bob", provider="codex")
    forms = Chat(day, "web-forms", "Validate the address form", owner="cleo", provider="claude")
    guide = Chat(day, "docs-guide", "Write the guide to rules", owner="cleo", provider="gemini")
    index = Chat(day, "docs-index", "Rework the front page", owner="cleo", provider="gemini")
    faq = Chat(day, "docs-faq", "Collect the questions", owner="bob", provider="gemini")

    work(login, "07:02:00", "07:15:00")
    work(table, "07:05:30", "07:21:00")
    work(guide, "07:08:10", "07:19:00")
    healthy_reruns(login)
    work(forms, "07:20:20", "07:33:00")
    commit_loop(day, login)
    work(search, "07:34:00", "07:48:00")
    broken_machine(day, guide, index, faq)
    silent_turns(day, table, forms, search)
    work(guide, "08:20:00", "08:34:00")
    failed_turns(day, search, forms)
    work(login, "08:48:00", "09:04:00")
    queue_behind_a_turn(day, table)
    presses(day)
    work(index, "09:25:00", "09:36:00")
    children(day, search)
    work(forms, "09:50:00", "10:06:00")
    work(table, "10:01:00", "10:14:00")
    work(faq, "10:10:00", "10:22:00")
    faq.close(clock("10:23:00"))
    index.close(clock("10:24:00"))
    work(search, "10:18:00", "10:31:00")
    closing(day, login, table, guide)
    return day.lines()


if __name__ == "__main__":
    TARGET.write_text(working_day(), encoding="utf-8")
