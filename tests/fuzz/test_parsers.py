"""Every parser, fed what nobody should write: only the documented errors come out.

pytest -m deep tests/fuzz                 # so many texts each: WAKEFUL_FUZZ_EXAMPLES
python tests/fuzz/run.py --minutes 60     # for as long as that
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.surfaces import SURFACES

FOUND = sorted((Path(__file__).parent / "found").glob("*/*"))
SHORT = settings(
    max_examples=int(os.environ.get("WAKEFUL_FUZZ_SHORT", "40")),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
LONG = settings(
    settings.get_profile("deep"),
    max_examples=int(os.environ.get("WAKEFUL_FUZZ_EXAMPLES", "20000")),
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.parametrize("name", SURFACES)
@SHORT
@given(data=st.data())
def test_only_documented_errors_come_out(name, data, tmp_path):
    surface = SURFACES[name]
    surface.feed(data.draw(surface.texts), tmp_path)


@pytest.mark.deep
@pytest.mark.parametrize("name", SURFACES)
@LONG
@given(data=st.data())
def test_only_documented_errors_come_out_for_long(name, data, tmp_path):
    surface = SURFACES[name]
    surface.feed(data.draw(surface.texts), tmp_path)


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_once_is_mended(path, tmp_path):
    SURFACES[path.parent.name.replace("-", " ")].feed(path.read_bytes(), tmp_path)
