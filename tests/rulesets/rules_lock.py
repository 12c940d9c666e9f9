"""The lock of the rules that come with the package: a version and a hash for each id.

Run it to write the lock after a change: ``python tests/rulesets/rules_lock.py``. A rule that
means or says something else than the lock has it needs a new ``_meta.wakeful.version`` first.
An id that is gone is refused: it is never given to another.
"""

import hashlib
import json
import sys
from pathlib import Path

from wakeful.reading import load_rules, shipped_rules_folder, write_automation

LOCK = shipped_rules_folder() / "rules.lock"


def current():
    """Version and hash of each rule as it is now; what is said about it is not in the hash."""
    found = {}
    for automation in load_rules(["@"]).automations:
        data = write_automation(automation)
        about = data["definition"]["_meta"].pop("wakeful")
        text = json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        name = automation.resource.rpartition("/")[2]
        digest = hashlib.sha256(text.encode()).hexdigest()
        found[name] = {"version": about["version"], "hash": f"sha256:{digest}"}
    return found


def locked(path=LOCK):
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def broken(lock, rules):
    """What the lock forbids: changes without a new version, versions that go back, lost ids."""
    for name, rule in rules.items():
        known = lock.get(name)
        if known is None or known == rule:
            continue
        if rule["version"] == known["version"]:
            yield f"{name} is not what version {rule['version']} was: give it a new version"
        elif rule["version"] < known["version"]:
            yield f"{name} went back from version {known['version']} to {rule['version']}"
    for name in lock.keys() - rules.keys():
        yield f"{name} is gone; ids are stable"


def main():
    lock, rules = locked(), current()
    problems = list(broken(lock, rules))
    if problems:
        sys.exit("\n".join(problems))
    LOCK.write_text(json.dumps(rules, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return Path(LOCK)


if __name__ == "__main__":
    main()
