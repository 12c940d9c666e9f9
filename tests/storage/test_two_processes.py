"""Two processes on one folder: each waits for the other, and neither destroys its work."""

import os
import time

import attrs

from storage.storage_builders import definition, scheduled, stored
from wakeful.storage import AutomationFolder, OccurrenceTakenError, RunProgress
from wakeful.storage.locking import holding

RESOURCE = "ahp-automation:/nightly-review"


def apart(work):
    """Do some work in a process of its own; call what is returned to wait for it."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)

    def wait():
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == 0

    return wait


def test_the_second_waits_until_the_first_has_written(folder):
    automations = AutomationFolder(folder)
    automations.save(stored())
    with holding(automations.lock_path):
        wait = apart(lambda: AutomationFolder(folder).save(stored("other")))
        time.sleep(0.15)
        assert not (folder / "other.md").exists()
    wait()
    assert (folder / "other.md").exists()


def test_a_lock_ends_with_its_process(folder):
    automations = AutomationFolder(folder)
    automations.save(stored())

    def die_holding():
        with holding(automations.lock_path):
            os._exit(0)

    apart(die_holding)()
    automations.save(stored(title="Other"))


def test_two_that_write_at_once_lose_no_automation_and_no_state(folder):
    many = 25

    def write(name):
        automations = AutomationFolder(folder)
        automations.load()
        for number in range(many):
            id_ = f"{name}-{number}"
            automations.save(stored(id_))
            automations.move(f"ahp-automation:/{id_}", RunProgress(run_count=number))

    waits = [apart(lambda name=name: write(name)) for name in ("a", "b")]
    for wait in waits:
        wait()
    kept = AutomationFolder(folder).load()

    assert len(kept) == 2 * many
    assert sorted(each.progress.run_count for each in kept) == sorted([*range(many)] * 2)


def test_two_that_edit_one_automation_keep_what_each_changed(folder):
    AutomationFolder(folder).save(stored())

    def rename():
        automations = AutomationFolder(folder)
        automations.load()
        for number in range(15):
            automations.save(attrs.evolve(stored(), definition=definition(title=f"T{number}")))

    def rewrite():
        automations = AutomationFolder(folder)
        automations.load()
        for number in range(15):
            automations.save(attrs.evolve(stored(), definition=definition(text=f"M{number}")))

    waits = [apart(rename), apart(rewrite)]
    for wait in waits:
        wait()
    (kept,) = AutomationFolder(folder).load()
    assert (kept.definition.title, kept.definition.message.text) == ("T14", "M14")


def test_every_occurrence_is_claimed_by_exactly_one_of_two_hosts(folder):
    automations = AutomationFolder(folder)
    automations.save(stored(triggers=[scheduled()]))
    automations.move(RESOURCE, RunProgress(occurrences={"t1": 0}))
    claims = folder.parent / "claims"
    claims.mkdir()

    def fire(host):
        mine = AutomationFolder(folder)
        (kept,) = mine.load()
        for due in range(kept.progress.occurrences["t1"], 30):
            moved = RunProgress(occurrences={"t1": due + 1})
            try:
                mine.move(RESOURCE, moved)
            except OccurrenceTakenError:
                continue
            else:
                (claims / f"{due}-{host}").touch()

    waits = [apart(lambda host=host: fire(host)) for host in ("a", "b")]
    for wait in waits:
        wait()
    claimed = sorted(int(claim.name.partition("-")[0]) for claim in claims.iterdir())
    assert claimed == list(range(30))
