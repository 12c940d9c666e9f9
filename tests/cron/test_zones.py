"""Zones come from the tzdata package alone, exact in name and in every offset."""

import random
import struct
from datetime import timedelta

import pytest

from models.plain_cron import EPOCH, zone_of
from wakeful.cron import load_zone, tzdata_version, zone_names
from wakeful.cron.gregorian import year_start
from wakeful.cron.tzif import read_tzif
from wakeful.errors import InvalidError

MINUTE = 60_000
YEAR = 31_556_952_000


def plain_offset(name, instant):
    local = (EPOCH + timedelta(milliseconds=instant)).astimezone(zone_of(name))
    return local.utcoffset() // timedelta(minutes=1) * MINUTE


@pytest.mark.parametrize(
    "name",
    ["Mars/Olympus", "Not/AZone", "europe/berlin", "EUROPE/BERLIN", "", " UTC", "UTC\n", "Europe",
     "../zones", "Europe/../UTC", "/etc/localtime", "Europe//Berlin", "Europe\\Berlin", "zones",
     "localtime", "__init__.py", None, 3, ["UTC"]],
)  # fmt: skip
def test_a_name_that_is_no_zone_is_refused(name):
    with pytest.raises(InvalidError) as caught:
        load_zone(name)
    assert [("timeZone", name)] == [(item.path, item.value) for item in caught.value.problems]


def test_a_near_name_is_told():
    with pytest.raises(InvalidError, match=r"did you mean Europe/Berlin\?"):
        load_zone("europe/berlin")


def test_the_system_is_never_asked(monkeypatch, tmp_path):
    # A database of the system's with a zone that the package lacks.
    (tmp_path / "Mars").mkdir()
    (tmp_path / "Mars" / "Olympus").write_bytes(b"TZif")
    monkeypatch.setenv("PYTHONTZPATH", str(tmp_path))
    with pytest.raises(InvalidError):
        load_zone("Mars/Olympus")


def test_the_version_is_the_databases():
    import tzdata

    assert tzdata_version() == tzdata.IANA_VERSION


def test_a_zone_is_read_once():
    assert load_zone("Asia/Kathmandu") is load_zone("Asia/Kathmandu")


def test_links_are_zones():
    assert {"UTC", "US/Pacific", "Asia/Calcutta", "Etc/GMT+12"} <= zone_names()


def test_a_link_is_not_equal_to_what_it_names():
    assert load_zone("Asia/Calcutta") != load_zone("Asia/Kolkata")


def test_offsets_are_those_of_the_standard_library_in_every_zone_from_1973_to_9999():
    chance = random.Random(4)
    for name in sorted(zone_names()):
        zone = load_zone(name)
        for _ in range(40):
            instant = chance.randrange(3 * YEAR, 130 * YEAR)
            assert plain_offset(name, instant) == zone.offset_at(instant), (name, instant)
        for _ in range(10):
            instant = chance.randrange(130 * YEAR, 8_020 * YEAR)
            assert plain_offset(name, instant) == zone.offset_at(instant), (name, instant)


def test_offsets_are_those_of_the_standard_library_on_both_sides_of_every_change():
    for name in sorted(zone_names()):
        zone = load_zone(name)
        # Before 1900 all is local mean time, and of whole minutes only from 1973 on.
        for instant, before, after in zone.changes(3 * YEAR, 70 * YEAR):
            assert before * MINUTE == plain_offset(name, instant - 1), (name, instant)
            assert after * MINUTE == plain_offset(name, instant), (name, instant)


def test_an_offset_with_seconds_is_cut_down_to_minutes():
    # Monrovia was 0:44:30 behind until 1972.
    assert load_zone("Africa/Monrovia").offset_at(0) == -45 * MINUTE


def test_a_negative_summer_time_is_read():
    # Dublin's footer has winter as the exception.
    dublin = load_zone("Europe/Dublin")
    july, january = 1_783_000_000_000, 1_768_000_000_000
    assert [dublin.offset_at(at) // MINUTE for at in (july, january)] == [60, 0]


def test_local_time_is_written_with_its_offset():
    assert load_zone("UTC").format_local(0) == "1970-01-01T00:00:00+00:00"
    assert load_zone("Asia/Kolkata").format_local(0) == "1970-01-01T05:30:00+05:30"
    assert load_zone("America/Los_Angeles").format_local(0) == "1969-12-31T16:00:00-08:00"


def test_the_second_pass_alone_repeats():
    zone = load_zone("America/New_York")
    change = 1_793_512_800_000  # 2026-11-01T06:00Z, local 02:00 becomes 01:00
    assert [zone.repeats(change + minutes * MINUTE) for minutes in (-60, -1, 0, 59, 60)] == [
        False,
        False,
        True,
        True,
        False,
    ]


def compiled(footer, *, offset=0):
    """A TZif file of no changes and a footer."""
    block = struct.pack(">4sc15x6l", b"TZif", b"3", 0, 0, 0, 0, 1, 1)
    types = struct.pack(">lBB", offset, 0, 0) + b"\0"
    return block + types + block + types + b"\n" + footer.encode() + b"\n"


def changes_in(stretches, year):
    first, last = (year_start(wanted) * 1440 for wanted in (year, year + 1))
    return [start - first for start in stretches.starts if first <= start < last]


def test_a_footer_of_days_of_the_year_is_read():
    # J60 is 1 March in every year; 60 is the day after 59 whole days: 29 Feb comes before it.
    julian = read_tzif(compiled("AAA0BBB,J60/0,J300/0"))
    counted = read_tzif(compiled("AAA0BBB,60/0,300/0"))
    assert changes_in(julian, 2023) == [59 * 1440, 299 * 1440 - 60]
    assert changes_in(julian, 2024) == [60 * 1440, 300 * 1440 - 60]
    assert changes_in(counted, 2023) == [60 * 1440, 300 * 1440 - 60]
    assert changes_in(counted, 2024) == [60 * 1440, 300 * 1440 - 60]


def test_a_footer_of_summer_all_year_is_one_offset():
    stretches = read_tzif(compiled("XXX3EDT4,0/0,J365/23", offset=-4 * 3600))
    # Each year's end falls on the next one's beginning; only the table's last has no next.
    assert list(stretches.offsets) == [-240, -180]
    assert stretches.starts[1] >= year_start(2380) * 1440


@pytest.mark.parametrize(
    "data", [compiled("nonsense!"), compiled("AAA0BBB,X3/0,J5"), b"TZif" + bytes(60)]
)
def test_what_is_no_zone_file_is_refused(data):
    with pytest.raises(ValueError, match="not a"):
        read_tzif(data)
