"""Ids of the rules that come with the package are stable, and so is what a version means."""

import pytest

from rulesets.rules_lock import broken, current, locked


def test_the_lock_is_of_the_rules_as_they_are():
    assert locked() == current()


@pytest.mark.parametrize(
    ("version", "digest", "said"),
    [
        (1, "other", "a is not what version 1 was: give it a new version"),
        (0, "other", "a went back from version 1 to 0"),
    ],
)
def test_a_change_without_a_new_version_is_refused(version, digest, said):
    lock = {"a": {"version": 1, "hash": "one"}}

    assert list(broken(lock, {"a": {"version": version, "hash": digest}})) == [said]


def test_a_change_with_a_new_version_and_a_new_rule_are_not():
    lock = {"a": {"version": 1, "hash": "one"}}
    rules = {"a": {"version": 2, "hash": "other"}, "b": {"version": 1, "hash": "new"}}

    assert list(broken(lock, rules)) == []


def test_an_id_that_is_gone_is_refused():
    assert list(broken({"a": {"version": 1, "hash": "one"}}, {})) == ["a is gone; ids are stable"]
