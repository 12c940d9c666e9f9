"""Types named in signatures, linked to the public name under which the reference has them.

A signature names a class by the module that defines it; the reference lists it where people
import it from. What belongs to neither is Python's or another package's, whose documentation
is not read while these pages are built.
"""

import sys
from importlib import import_module
from typing import Any

from docutils import nodes

PUBLIC_MODULES = (
    "wakeful",
    "wakeful.reading",
    "wakeful.logs",
    "wakeful.replay",
    "wakeful.cron",
    "wakeful.plugins",
    "wakeful.storage",
    "wakeful.journal",
    "wakeful.hosting",
    "wakeful.catalogue",
    "wakeful.checking",
    "wakeful.rule_tests",
    "wakeful.testing",
)
"""The modules of the reference, in its order; a name belongs to the first that has it."""


def homes() -> dict[str, str]:
    """Public names by where they are defined: ``wakeful.core.engine.Engine`` and the like."""
    found: dict[str, str] = {}
    for name in PUBLIC_MODULES:
        module = import_module(name)
        for public in getattr(module, "__all__", dir(module)):
            value = getattr(module, public)
            home = getattr(value, "__module__", None)
            if home is not None and home.startswith("wakeful"):
                found.setdefault(
                    f"{home}.{getattr(value, '__qualname__', public)}", f"{name}.{public}"
                )
    return found


HOMES = homes()


def resolve(app: Any, env: Any, node: Any, content: nodes.Node) -> nodes.Node | None:
    """Sphinx's ``missing-reference``: link a name by its home; leave what is no page's as text.

    A name that is nowhere stays missing, and fails the build.
    """
    if node.get("refdomain") != "py":
        return None
    target = node["reftarget"]
    public = HOMES.get(target)
    if public is not None:
        place = node.get("refdoc", "")
        return env.get_domain("py").resolve_xref(
            env, place, app.builder, "obj", public, node, content
        )
    if is_foreign(target) or is_there(target) or is_told(node, target):
        return content
    return None


def is_foreign(target: str) -> bool:
    """Whether a name is of Python's own library."""
    return target.partition(".")[0] in sys.stdlib_module_names


def is_there(target: str) -> bool:
    """Whether a dotted name is of something inside, which signatures may name."""
    module, _, name = target.rpartition(".")
    while module.startswith("wakeful"):
        try:
            found: Any = import_module(module)
            for part in name.split("."):
                found = getattr(found, part)
        except ModuleNotFoundError:
            module, _, outer = module.rpartition(".")
            name = f"{outer}.{name}"
        except AttributeError:
            return False
        else:
            return True
    return False


def is_told(node: Any, name: str) -> bool:
    """Whether a name stands under *Attributes* of the class, or in the module, that it is said in."""
    module, owner = node.get("py:module"), node.get("py:class")
    if module is None:
        return False
    place = import_module(module)
    if owner is None:
        defining = {
            getattr(place, each).__module__
            for each in getattr(place, "__all__", ())
            if hasattr(getattr(place, each), "__module__")
        }
        return any(hasattr(import_module(each), name) for each in (module, *defining))
    kind = getattr(place, owner.split(".")[0], None)
    home = import_module(getattr(kind, "__module__", module))
    return f"    {name}: " in (kind.__doc__ or "") or hasattr(home, name)
