"""Connectors in a config: whose they are, what discovery sends, what a person is answered."""

import pytest

from plugins.plugin_builders import StoredConnectors, build_type, registry_of, told, trigger
from wakeful.errors import InvalidError
from wakeful.plugins import (
    Connector,
    NoConnectors,
    UncheckedConnectors,
    Verdict,
    completions,
    freeze,
    list_trigger_definitions,
)

FIELD = {"type": "string", "title": "Account", "x-ahpd-connector": "ci"}

SHARED = Connector(id="shared", title="The house account")
ANNS = Connector(id="anns", title="Ann at CI", owner="user:ann")
BENS = Connector(id="bens", title="Ben at CI", owner="user:ben")
CHAT = Connector(id="chat", title="The house chat")


def host(**_):
    return StoredConnectors(("ci", SHARED), ("ci", ANNS), ("ci", BENS), ("chat", CHAT))


def registry(properties=None, connectors=None):
    return registry_of(
        build_type({"account": FIELD} if properties is None else properties),
        connectors=host() if connectors is None else connectors,
    )


def sentences(config, owner="user:ann", **given):
    return told(registry(**given).check(trigger(config), owner=owner))


@pytest.mark.parametrize("account", ["shared", "anns"])
def test_the_hosts_and_the_owners_connectors_are_accepted(account):
    assert sentences({"account": account}) == []


def test_a_connector_that_the_host_does_not_serve_is_refused():
    assert sentences({"account": "gone"}) == [
        ("config.account", "no connector 'gone' of ci is stored here")
    ]


def test_a_connector_of_another_adapter_is_not_served():
    assert sentences({"account": "chat"}) == [
        ("config.account", "no connector 'chat' of ci is stored here")
    ]


def test_somebody_elses_connector_is_refused_without_telling_whose():
    assert sentences({"account": "bens"}) == [
        ("config.account", "connector 'bens' of ci belongs to neither the owner nor the host")
    ]


def test_an_automation_without_an_owner_has_the_hosts_connectors_alone():
    assert sentences({"account": "shared"}, owner=None) == []
    assert [path for path, _ in sentences({"account": "anns"}, owner=None)] == ["config.account"]


def test_a_host_without_connectors_refuses_every_one():
    registered = registry_of(build_type({"account": FIELD}))

    assert told(registered.check(trigger({"account": "shared"}))) == [
        ("config.account", "no connector 'shared' of ci is stored here")
    ]


def test_a_replay_has_no_host_to_ask_and_takes_every_connector():
    assert sentences({"account": "whatever"}, connectors=UncheckedConnectors()) == []


def test_a_connector_that_is_no_text_is_of_the_wrong_kind_and_no_more():
    assert sentences({"account": 3}) == [("config.account", "3 is not text")]


def test_connectors_are_told_beside_what_else_is_wrong():
    assert [path for path, _ in sentences({"account": "gone", "x": 1})] == [
        "config.x",
        "config.account",
    ]


def test_connectors_are_found_in_objects_and_lists():
    properties = {
        "to": {"type": "object", "properties": {"accounts": {"type": "array", "items": FIELD}}}
    }
    config = {"to": {"accounts": ["anns", "bens"]}}

    assert [path for path, _ in sentences(config, properties=properties)] == [
        "config.to.accounts[1]"
    ]


def test_a_default_connector_is_held_to_its_owner_too():
    properties = {"account": {**FIELD, "default": "bens"}}

    assert [path for path, _ in sentences({}, properties=properties)] == ["config.account"]


def test_a_trigger_whose_connector_fails_does_not_pass_now():
    assert registry().admits(trigger({"account": "anns"}), owner="user:ann")
    assert not registry().admits(trigger({"account": "anns"}), owner="user:ben")


def test_the_owner_is_compared_again_at_a_fire():
    stored = host()
    bound = registry(connectors=stored).bind(trigger({"account": "anns"}), owner="user:ann")
    assert bound.ask(freeze({})).wakes

    stored.stored = [("ci", Connector(id="anns", title="Ann's, once", owner="user:ben"))]
    answer = bound.ask(freeze({}))

    assert answer.verdict is Verdict.CONNECTOR
    assert told(answer.problems) == [
        ("config.account", "connector 'anns' of ci belongs to neither the owner nor the host")
    ]


def test_a_connector_that_is_gone_at_a_fire_wakes_nothing():
    stored = host()
    bound = registry(connectors=stored).bind(trigger({"account": "anns"}), owner="user:ann")
    stored.stored.clear()

    assert bound.ask(freeze({})).verdict is Verdict.CONNECTOR


def test_a_host_that_fails_at_a_fire_is_reported_and_wakes_nothing():
    class Failing(StoredConnectors):
        def find(self, adapter, connector):
            raise OSError("the store is locked")

    bound = registry(connectors=Failing()).bind(trigger({"account": "anns"}))
    answer = bound.ask(freeze({}))

    assert answer.verdict is Verdict.FAULT
    assert [sentence for _, sentence in told(answer.problems)] == [
        "the connectors of build could not be asked"
    ]
    assert str(answer.error) == "the store is locked"


def sent(registered):
    return list_trigger_definitions(registered)[-1]["configSchema"]["properties"]


def test_discovery_sends_the_hosts_connectors_as_choices():
    assert sent(registry())["account"] == {
        **FIELD,
        "enum": ["shared"],
        "enumLabels": ["The house account"],
        "enumDynamic": True,
        "x-ahpd-completions": {"connector": "ci"},
    }


@pytest.mark.parametrize("connectors", [StoredConnectors(), NoConnectors()])
def test_discovery_sends_no_choices_where_the_host_has_none(connectors):
    field = sent(registry(connectors=connectors))["account"]

    assert (field["enum"], field["enumDynamic"]) == ([], True)


def test_discovery_marks_fields_in_objects_and_lists():
    properties = {
        "to": {"type": "object", "properties": {"all": {"type": "array", "items": FIELD}}}
    }
    items = sent(registry(properties))["to"]["properties"]["all"]["items"]

    assert items["enum"] == ["shared"]


def test_discovery_leaves_the_registered_schema_as_it_was():
    registered = registry()
    list_trigger_definitions(registered)

    assert "enum" not in registered.get("build").definition.config_schema["properties"]["account"]


def test_completions_give_a_persons_own():
    asked = sent(registry())["account"]["x-ahpd-completions"]

    assert completions(host(), asked, principal="user:ann") == {
        "items": [{"value": "anns", "label": "Ann at CI"}]
    }


def test_completions_give_a_connection_without_a_principal_nothing():
    assert completions(host(), {"connector": "ci"}, principal=None) == {"items": []}


def test_completions_never_give_what_a_host_hands_out_of_others():
    class Generous(StoredConnectors):
        def owned_by(self, adapter, owner):
            return [connector for _, connector in self.stored]

    found = completions(
        Generous(("ci", ANNS), ("ci", BENS)), {"connector": "ci"}, principal="user:ann"
    )
    assert found == {"items": [{"value": "anns", "label": "Ann at CI"}]}


@pytest.mark.parametrize(("query", "found"), [("AT ci", 1), ("ANNS", 1), ("", 1), ("ben", 0)])
def test_completions_are_narrowed_by_a_part_of_title_or_id(query, found):
    answer = completions(host(), {"connector": "ci", "query": query}, principal="user:ann")

    assert len(answer["items"]) == found


def test_completions_refuse_params_that_name_no_adapter():
    with pytest.raises(InvalidError) as caught:
        completions(host(), {"query": 3}, principal="user:ann")

    assert told(caught.value.problems) == [
        ("connector", "missing; expected text"),
        ("query", "3 is not text"),
    ]
