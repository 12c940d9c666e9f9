"""Who sees what (semantics 9.2)."""

import pytest

from wakeful.core.sight import GrantSight
from wakeful.model.events import NO_FACTS


def sees(sight: GrantSight, owner: str | None) -> bool:
    return sight.sees(owner, "s", NO_FACTS)


def test_an_automation_without_an_owner_sees_every_session():
    assert sees(GrantSight(), None) is True


def test_an_automation_without_an_owner_sees_none_where_the_host_says_so():
    assert sees(GrantSight(unowned="none"), None) is False


@pytest.mark.parametrize("owner", ["user:ann", "team:web", "plugin:ci"])
def test_an_owner_the_host_has_not_met_sees_none(owner):
    sight = GrantSight()

    assert (sight.met(owner), sees(sight, owner)) == (False, False)


def test_session_read_shows_every_session():
    sight = GrantSight()
    sight.change("user:ann", ["session:read"])

    assert sees(sight, "user:ann") is True


@pytest.mark.parametrize(
    "grants", [[], ["session:list"], ["session:write"], ["automation:read"], ["session:Read"]]
)
def test_without_session_read_no_session_is_seen(grants):
    sight = GrantSight(unmet="every")
    sight.change("user:ann", grants)

    assert sees(sight, "user:ann") is False


def test_an_empty_list_is_a_principal_met():
    sight = GrantSight()
    sight.change("user:ann", [])

    assert sight.met("user:ann") is True


def test_grants_are_taken_whole():
    sight = GrantSight()
    sight.change("user:ann", ["session:read"])
    sight.change("user:ann", ["automation:run"])

    assert sees(sight, "user:ann") is False


def test_one_principals_grants_are_nobody_elses():
    sight = GrantSight()
    sight.change("user:ann", ["session:read"])

    assert sees(sight, "user:bob") is False


def test_in_a_replay_an_owner_sees_every_session_until_a_change_names_it():
    sight = GrantSight(unmet="every")
    before = (sight.met("user:ann"), sees(sight, "user:ann"))
    sight.change("user:ann", [])

    assert (before, sees(sight, "user:ann")) == ((True, True), False)


@pytest.mark.parametrize(
    ("grants", "changed"), [(["session:read"], True), ([], False), (["automation:run"], False)]
)
def test_a_change_says_whether_the_principal_sees_otherwise(grants, changed):
    assert GrantSight().change("user:ann", grants) is changed


def test_in_a_replay_losing_sight_is_a_change_and_keeping_it_is_none():
    assert GrantSight(unmet="every").change("user:ann", []) is True
    assert GrantSight(unmet="every").change("user:ann", ["session:read"]) is False


@pytest.mark.parametrize(
    ("grant", "held"),
    [
        ("automation:list", True),
        ("automation:run", False),
        ("session:create", True),
        ("session:list", False),
        ("host:stop", True),
        ("host:read", False),
    ],
)
def test_a_group_holds_its_operations(grant, held):
    sight = GrantSight()
    sight.change("user:ann", ["automation:read", "session:write", "host:stop"])

    assert sight.allows("user:ann", grant) is held


def test_a_stranger_holds_nothing():
    assert GrantSight(unmet="every").allows("user:ann", "automation:run") is False


def test_the_state_is_every_principal_met_with_its_grants_sorted():
    sight = GrantSight()
    sight.change("user:bob", ["b:x", "a:x", "b:x"])
    sight.change("user:ann", [])

    assert list(sight.grants().items()) == [("user:ann", ()), ("user:bob", ("a:x", "b:x"))]
