"""Cron schedules: the dialect, zones, and what occurs when (semantics, section 10)."""

from wakeful.cron.expression import CronExpression
from wakeful.cron.schedule import Schedule
from wakeful.cron.zones import Zone, load_zone, tzdata_version, zone_names

__all__ = [
    "CronExpression",
    "Schedule",
    "Zone",
    "load_zone",
    "tzdata_version",
    "zone_names",
]
