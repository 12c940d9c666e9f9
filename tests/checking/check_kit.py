"""Checking rules that are plain data, and playing small logs to them."""

import json

from replay_cases import automation, event, failure, success
from replay_player import inputs
from wakeful.checking import check_rules
from wakeful.model.outputs import Match
from wakeful.model.time import parse_instant
from wakeful.reading import read_automation
from wakeful.replay import Replay

__all__ = ["automation", "codes", "event", "failure", "findings", "matches", "rule", "success"]


def rule(*events, id_="a", **config):
    """An automation of one session rule that leaves automated sessions out."""
    where = {"automated": False, **config.pop("filter", {})}
    return automation(id_, *events, filter=where, **config)


def findings(folder, *automations, types=(), **options):
    """What a check finds in a ruleset."""
    path = folder / "rules.json"
    data = {"automations": automations, **({"types": types} if types else {})}
    path.write_text(json.dumps(data, indent=1), encoding="utf-8")
    return check_rules([path], **options).findings


def codes(folder, *automations, **options):
    return [each.code for each in findings(folder, *automations, **options)]


def matches(one, log, *, until=3_600):
    """How often an automation matches in a log of records; time goes on for an hour."""
    zero = parse_instant("2026-10-07T14:00:00Z")
    replay = Replay([read_automation(one)], until=zero + until * 1_000)
    return sum(isinstance(output, Match) for output in replay.outputs(inputs(*log)))
