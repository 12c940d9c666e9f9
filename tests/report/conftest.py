"""Scenes in a folder of their own."""

import pytest

from report_scene import Scene


@pytest.fixture
def scene(tmp_path):
    return Scene(tmp_path)
