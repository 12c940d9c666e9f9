"""Moving automations out and in, as functions from text to text."""

import pytest

from storage.storage_builders import BLUEPRINT, EXPORTED, NIGHTLY
from wakeful.errors import InvalidError
from wakeful.model.triggers import ScheduleTrigger
from wakeful.reading.markdown import read_automation_file
from wakeful.storage.exchange import (
    export_automation,
    export_to_vscode,
    import_automation,
    import_from_vscode,
    serves,
)

NOW = 1_791_382_925_118
KEPT = EXPORTED.replace(
    "---\nReview", "owner: user:ann\ncreatedAt: 2026-10-07T14:22:05Z\n---\nReview"
)


def automation(*triggers, head="", body="Look."):
    lines = "".join(f"  - {trigger}\n" for trigger in triggers)
    return (
        f"---\ntitle: A\n{head}triggers:{lines and chr(10)}{lines or ' []' + chr(10)}---\n{body}\n"
    )


def cron(expression="0 9 * * *", id_="t1", more=""):
    schedule = f"{{expression: '{expression}', timeZone: Europe/Berlin}}"
    return f"{{id: {id_}, kind: schedule, schedule: {schedule}{more}}}"


def refusals_of(function, *arguments, **named):
    with pytest.raises(InvalidError) as caught:
        function(*arguments, **named)
    return [(problem.path, problem.sentence) for problem in caught.value.problems]


# -- this library's own file ----------------------------------------------------------------------


def test_an_export_is_the_file_without_owner_and_time():
    exported = export_automation(KEPT)
    assert exported.text == EXPORTED
    assert exported.file_name == "nightly-review.automation.md"


def test_an_export_leaves_out_the_chat_of_a_pinned_automation():
    notes = "_meta:\n  ahpd:\n    session: pinned\n    pinnedSession: ahp-session:/1\n"
    exported = export_automation(NIGHTLY.replace("session:\n", f"{notes}session:\n", 1))
    assert "ahp-session" not in exported.text
    assert read_automation_file(exported.text).definition.pinned


def test_an_export_leaves_out_an_owner_that_stands_in_the_notes():
    exported = export_automation("---\ntitle: A\n_meta: {ahpd.owner: 'user:ann'}\n---\nx\n")
    assert exported.text == "---\ntitle: A\n---\nx\n"


def test_an_import_is_new_switched_off_and_otherwise_the_same():
    made = read_automation_file(import_automation(EXPORTED, created_at=NOW, owner="user:bob"))
    source = read_automation_file(EXPORTED).definition

    assert (made.owner, made.created_at, made.definition.enabled) == ("user:bob", NOW, False)
    assert made.definition.triggers == source.triggers
    assert made.definition.session == source.session
    assert made.definition.message == source.message


def test_an_import_takes_neither_owner_nor_time_from_the_file():
    made = read_automation_file(import_automation(KEPT, created_at=NOW))
    assert (made.owner, made.created_at) == (None, NOW)


def test_an_import_keeps_how_the_file_is_written():
    text = EXPORTED.replace("enabled: true", "enabled: true   # for now")
    made = import_automation(text, created_at=NOW)
    assert "enabled: false   # for now\n" in made


def test_a_folder_replaces_those_of_the_file():
    made = import_automation(EXPORTED, created_at=NOW, folder="/srv/my api")
    directories = read_automation_file(made).definition.session["workingDirectories"]
    assert directories == ["file:///srv/my%20api"]


def test_a_file_of_vscodes_is_refused_in_the_seeds_words():
    assert refusals_of(import_automation, BLUEPRINT, created_at=NOW) == [
        ("", "This is a VS Code automation file. Add --vscode.")
    ]


SERVED = [
    ("/home/softov/ahpd", True),
    ("/home/softov", True),
    ("/", True),
    ("/home/softov/ahp", False),
    ("/home/softov/ahpd/src", False),
    ("/home/softov/ahpd/../other", False),
    ("/home/other", False),
]


@pytest.mark.parametrize(("served", "taken"), SERVED)
def test_each_folder_of_the_file_has_to_be_served_or_under_one_that_is(served, taken):
    def attempt():
        import_automation(EXPORTED, created_at=NOW, is_served=serves([served]))

    if taken:
        attempt()
    else:
        assert refusals_of(attempt) == [
            (
                "session.workingDirectories[0]",
                "file:///home/softov/ahpd is not a folder that this host serves",
            )
        ]


@pytest.mark.parametrize("uri", ["vscode-remote://x/a", "file://other/a", "nonsense"])
def test_what_is_no_folder_of_this_machine_is_not_served(uri):
    text = EXPORTED.replace("file:///home/softov/ahpd", f"'{uri}'")
    ((path, _),) = refusals_of(import_automation, text, created_at=NOW, is_served=serves(["/"]))
    assert path == "session.workingDirectories[0]"


@pytest.mark.parametrize("folder", ["src", "./a", "~"])
def test_a_folder_is_absolute(folder):
    ((path, said),) = refusals_of(import_automation, EXPORTED, created_at=NOW, folder=folder)
    assert (path, said) == ("folder", f"{folder!r} is not an absolute folder")


def test_a_folder_that_is_given_has_to_be_served():
    ((path, _),) = refusals_of(
        import_automation,
        EXPORTED,
        created_at=NOW,
        folder="/etc",
        is_served=serves(["/srv"]),
    )
    assert path == "folder"


# -- VS Code's ------------------------------------------------------------------------------------

ONLY_SCHEDULE = "The file holds only a schedule"
EVENT = "{id: e, kind: event, type: session, events: [{id: toolFailed}]}"
WEBHOOK = "{id: w, kind: event, type: webhook, events: [{id: called}]}"

REFUSED = [
    ("an event", [EVENT], [("triggers[0]", ONLY_SCHEDULE)]),
    ("a webhook", [WEBHOOK], [("triggers[0]", ONLY_SCHEDULE)]),
    ("two schedules", [cron(), cron(id_="t2")], [("triggers[1]", "The file holds one schedule")]),
    (
        "a schedule that skips",
        [cron(more=", misfirePolicy: skip")],
        [("triggers[0].misfirePolicy", "VS Code always catches a missed run up")],
    ),
    (
        "all of it",
        [cron(more=", misfirePolicy: skip"), EVENT, cron(id_="t2")],
        [
            ("triggers[0].misfirePolicy", "VS Code always catches a missed run up"),
            ("triggers[1]", ONLY_SCHEDULE),
            ("triggers[2]", "The file holds one schedule"),
        ],
    ),
]


@pytest.mark.parametrize(
    ("triggers", "refusals"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED]
)
def test_what_vscodes_file_cannot_hold_is_refused_and_told(triggers, refusals):
    assert refusals_of(export_to_vscode, automation(*triggers)) == refusals


def test_an_automation_without_a_prompt_is_refused():
    assert refusals_of(export_to_vscode, automation(body="")) == [
        ("message.text", "VS Code refuses a file without a prompt")
    ]


EXPORTS = [
    ([], "kind: manual\n"),
    ([cron("15 * * * *")], "kind: hourly\n"),
    ([cron("0 9 * * *")], 'expression: "0 9 * * *"\n  timeZone: local\n'),
    ([cron("0  9 *\t* mon")], 'expression: "0 9 * * mon"\n  timeZone: local\n'),
]


@pytest.mark.parametrize(("triggers", "schedule"), EXPORTS)
def test_an_export_keeps_the_hour_and_drops_the_zone(triggers, schedule):
    text = export_to_vscode(automation(*triggers)).text
    assert schedule in text
    assert "Berlin" not in text


def test_an_export_holds_title_message_and_schedule_and_nothing_else():
    head = "enabled: false\nowner: user:ann\nsession: {provider: claude}\n"
    exported = export_to_vscode(automation(cron(), head=head))
    assert exported.file_name == "a.automation.md"
    assert exported.text == (
        '---\nversion: 1\nid: "a"\nname: "A"\nschedule:\n  kind: cron\n'
        '  expression: "0 9 * * *"\n  timeZone: local\n---\n\nLook.\n'
    )


def test_an_import_from_vscode_is_new_switched_off_and_in_the_hosts_zone():
    made = read_automation_file(
        import_from_vscode(
            BLUEPRINT, created_at=NOW, folder="/srv/ahpd", zone="America/Campo_Grande"
        )
    )
    definition = made.definition
    assert definition.title == "Review yesterday's commits"
    assert definition.message.text.startswith("Review the commits")
    assert definition.session == {"workingDirectories": ["file:///srv/ahpd"]}
    assert (definition.enabled, made.owner, made.created_at) == (False, None, NOW)
    assert definition.triggers == (
        ScheduleTrigger(id="schedule", expression="0 9 * * *", time_zone="America/Campo_Grande"),
    )


def test_the_folder_of_an_import_from_vscode_is_required():
    ((path, _),) = refusals_of(import_from_vscode, BLUEPRINT, created_at=NOW, folder=None)
    assert path == "folder"


def test_an_import_from_vscode_runs_only_where_it_is_served():
    ((path, _),) = refusals_of(
        import_from_vscode,
        BLUEPRINT,
        created_at=NOW,
        folder="/etc",
        is_served=serves(["/srv"]),
    )
    assert path == "folder"


def test_what_is_exported_to_vscode_is_imported_as_it_was():
    text = export_to_vscode(automation(cron("30 7 * * 1-5"), body="One.\n\n---\n\nTwo.")).text
    made = read_automation_file(
        import_from_vscode(text, created_at=NOW, folder="/srv", zone="Europe/Berlin")
    ).definition
    (trigger,) = made.triggers
    assert (trigger.expression, trigger.time_zone) == ("30 7 * * 1-5", "Europe/Berlin")
    assert made.message.text == "One.\n\n---\n\nTwo."
