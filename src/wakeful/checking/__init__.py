"""Checking rules: what is refused, and what works but cannot be meant.

>>> from wakeful.checking import check_rules
>>> check_rules(["@"]).findings
()
"""

from wakeful.checking.census import Census, read_census
from wakeful.checking.check import Result, check_rules
from wakeful.checking.findings import TITLES, Finding, FindingClass
from wakeful.checking.sarif import sarif

__all__ = [
    "TITLES",
    "Census",
    "Finding",
    "FindingClass",
    "Result",
    "check_rules",
    "read_census",
    "sarif",
]
