"""Connectors: stored accounts of an adapter that a config may name, and whose they are.

A host keeps connectors (a person's account at a CI service, say) and tells them through
:class:`Connectors`. A config field marked ``x-ahpd-connector: ADAPTER`` holds the id of
one. It is refused where the host serves none with that id and where it belongs to neither
the automation's owner nor the host; that is asked when a definition is saved and again at
every fire, so that nobody's automation reads another person's account.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Protocol

import attrs

from wakeful.errors import InvalidError, Problem
from wakeful.plugins._words import at
from wakeful.plugins.schema import CONNECTOR_KEY

COMPLETIONS_KEY: Final = "x-ahpd-completions"
"""In discovery, the key that holds what to ask :func:`completions` with."""


@attrs.frozen(kw_only=True)
class Connector:
    """A stored connector of an adapter.

    Attributes:
        id: What a config names it by; unique within its adapter.
        title: For people.
        owner: Whose it is, as ``user:ann``; ``None`` where it is the host's own.
    """

    id: str
    title: str
    owner: str | None = None

    def serves(self, owner: str | None) -> bool:
        """Whether an automation of that owner may use it: its own, or the host's."""
        return self.owner is None or self.owner == owner


class Connectors(Protocol):
    """What a host implements to offer connectors."""

    def find(self, adapter: str, connector: str) -> Connector | None:
        """The connector of that id, whoever owns it; ``None`` where there is none."""
        ...

    def owned_by(self, adapter: str, owner: str | None) -> Iterable[Connector]:
        """The connectors of one owner, for ``None`` the host's own, in the order to show."""
        ...


class NoConnectors:
    """A host that keeps none: every connector is refused."""

    def find(self, adapter: str, connector: str) -> Connector | None:  # noqa: ARG002 - none
        """Nothing."""
        return None

    def owned_by(self, adapter: str, owner: str | None) -> Iterable[Connector]:  # noqa: ARG002 - none
        """Nothing."""
        return ()


class UncheckedConnectors(NoConnectors):
    """Takes every id for a connector of the host's: for a replay, where no host can be asked."""

    def find(self, adapter: str, connector: str) -> Connector | None:  # noqa: ARG002 - all are taken
        """A connector of that id."""
        return Connector(id=connector, title=connector)


def connectors_named(
    schema: Mapping[str, Any], config: Mapping[str, Any], path: str = "config"
) -> Iterator[tuple[str, str, str]]:
    """Path, adapter and id of every connector that a config names under its schema.

    A marked value that is no text is passed over: its kind is refused already.
    """
    for name, described in schema.get("properties", {}).items():
        if name in config:
            yield from _named(described, config[name], at(path, name))


def _named(schema: Mapping[str, Any], value: Any, path: str) -> Iterator[tuple[str, str, str]]:
    if CONNECTOR_KEY in schema and isinstance(value, str):
        yield path, schema[CONNECTOR_KEY], value
    if isinstance(value, Mapping):
        yield from connectors_named(schema, value, path)
    if isinstance(value, list | tuple) and "items" in schema:
        for index, entry in enumerate(value):
            yield from _named(schema["items"], entry, at(path, index))


def connector_problems(
    connectors: Connectors, named: Iterable[tuple[str, str, str]], *, owner: str | None
) -> list[Problem]:
    """What is wrong with the connectors that a config names, for an automation of ``owner``.

    That one is somebody else's is told, not whose.
    """
    problems = []
    for path, adapter, connector in named:
        found = connectors.find(adapter, connector)
        if found is not None and found.serves(owner):
            continue
        wrong = (
            f"no connector {connector!r} of {adapter} is stored here"
            if found is None
            else f"connector {connector!r} of {adapter} belongs to neither the owner nor the host"
        )
        problems.append(
            Problem(
                path=path,
                value=connector,
                expected=f"a connector of {adapter} of the owner's or the host's",
                message=wrong,
            )
        )
    return problems


def offered(schema: Any, connectors: Connectors) -> Any:
    """A config schema, or part of one, as discovery sends it.

    A marked field gets the host's connectors as ``enum`` and ``enumLabels``, is marked
    ``enumDynamic``, and holds under ``x-ahpd-completions`` what to ask
    :func:`completions` with for a person's own.
    """
    sent: dict[str, Any] = dict(schema)
    adapter = sent.get(CONNECTOR_KEY)
    if adapter is not None:
        own = list(connectors.owned_by(adapter, None))
        sent["enum"] = [connector.id for connector in own]
        sent["enumLabels"] = [connector.title for connector in own]
        sent["enumDynamic"] = True
        sent[COMPLETIONS_KEY] = {"connector": adapter}
    if "properties" in sent:
        sent["properties"] = {
            name: offered(described, connectors) for name, described in sent["properties"].items()
        }
    if "items" in sent:
        sent["items"] = offered(sent["items"], connectors)
    return sent


def completions(
    connectors: Connectors, params: Mapping[str, Any], *, principal: str | None
) -> dict[str, Any]:
    """Answer ``x-ahpd/completions``: a person's own connectors of an adapter.

    Args:
        connectors: The host's.
        params: What discovery sent under ``x-ahpd-completions`` (``connector``, an
            adapter), and ``query?``: a part of the title or the id, in any case.
        principal: Whose connection asks, as ``user:ann``. One with no principal owns
            nothing and is answered with nothing.

    Returns:
        ``{"items": [{"value": id, "label": title}, …]}``.

    Raises:
        InvalidError: The params do not name an adapter, or the query is no text.
    """
    problems = [
        Problem(path=key, expected="text", **({"value": params[key]} if key in params else {}))
        for key in ("connector", "query")
        if not isinstance(params.get(key, "" if key == "query" else None), str)
    ]
    if problems:
        raise InvalidError(problems)
    query = params.get("query", "").casefold()
    own = () if principal is None else connectors.owned_by(params["connector"], principal)
    return {
        "items": [
            {"value": connector.id, "label": connector.title}
            for connector in own
            # A host that hands out too much must not give one person another's.
            if connector.owner == principal
            and (query in connector.title.casefold() or query in connector.id.casefold())
        ]
    }
