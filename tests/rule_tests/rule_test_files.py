"""Files of rule tests in a folder, with a rule or two beside them."""

from textwrap import dedent

RULES = """
automations:
  - id: failing
    title: Failing
    message: { text: "{{count}} failed in {{sessionTitle}}" }
    triggers:
      - id: t1
        kind: event
        type: session
        events: [{ id: toolFailed }]
        config: { count: { n: 2 } }
  - id: quiet
    title: Quiet
    overlap: skip
    message: { text: Quiet. }
    triggers:
      - id: t1
        kind: event
        type: session
        events: [{ id: turnFailed }]
        config: { then: { kind: idle, for: 3m } }
"""


def write(folder, tests, *, rules=RULES, name="rules"):
    """Write a ruleset and its tests; the path of the tests."""
    (folder / f"{name}.yaml").write_text(dedent(rules), encoding="utf-8")
    path = folder / f"{name}.test.yaml"
    path.write_text(dedent(tests), encoding="utf-8")
    return path
