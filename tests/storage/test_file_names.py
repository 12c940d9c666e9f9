"""The seed on the name of an automation's file, both ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wakeful.errors import InvalidError
from wakeful.reading.file_names import file_name, resource_of_file

DAILY = "YWhwLWF1dG9tYXRpb246L0RhaWx5IFJldmlldw.md"

NAMES = [
    ("ahp-automation:/nightly-review", "nightly-review.md"),
    ("ahp-automation:/a", "a.md"),
    ("ahp-automation:/0", "0.md"),
    ("ahp-automation:/" + "a" * 64, "a" * 64 + ".md"),
    (
        "ahp-automation:/0b6f1c1e-4d8e-4d8a-9a43-6a3f4c2b9e10",
        "0b6f1c1e-4d8e-4d8a-9a43-6a3f4c2b9e10.md",
    ),
    ("ahp-automation:/a-", "a-.md"),
    ("ahp-automation:/Daily Review", DAILY),
]

ENCODED = [
    "ahp-automation:/Nightly",
    "ahp-automation:/-a",
    "ahp-automation:/a.b",
    "ahp-automation:/a_b",
    "ahp-automation:/é",
    "ahp-automation:/a/b",
    "ahp-automation:/../../etc/passwd",
    "ahp-automation://host/a",
    "ahp-automation:a",
    "ahp-automation:/a?x=1#y",
    "ahp-automation:/" + "a" * 65,
]


@pytest.mark.parametrize(("resource", "name"), NAMES)
def test_a_resource_has_the_name_that_the_seed_shows(resource, name):
    assert file_name(resource) == name
    assert resource_of_file(name) == resource


@pytest.mark.parametrize("resource", ENCODED)
def test_any_other_uri_is_the_whole_of_it_in_base64(resource):
    name = file_name(resource)

    assert name.startswith("YWhwLWF1dG9tYXRpb246")
    assert "=" not in name
    assert resource_of_file(name) == resource


@pytest.mark.parametrize(
    "resource", ["ahp-session:/a", "file:///a", "nightly", "", "AHP-automation:/a"]
)
def test_another_scheme_is_refused_in_the_editors_words(resource):
    with pytest.raises(InvalidError) as caught:
        file_name(resource)
    assert caught.value.problems[0].message == (
        "Automation resource must use the ahp-automation scheme"
    )


@pytest.mark.parametrize("resource", ["ahp-automation:", "ahp-automation:/", "ahp-automation:/ "])
def test_a_uri_that_names_nothing_is_refused(resource):
    with pytest.raises(InvalidError):
        file_name(resource)


def test_a_uri_too_long_for_a_name_is_refused():
    with pytest.raises(InvalidError, match="too long to be kept as a file"):
        file_name("ahp-automation:/" + "A" * 200)


@pytest.mark.parametrize(
    "name",
    [
        "Nightly.md",
        "README.md",
        "a.automation.md",
        "-a.md",
        ".md",
        "a",
        "a.MD",
        "é.md",
        DAILY.replace(".md", "=.md"),
        "YWhwLWF1dG9tYXRpb246L25pZ2h0bHk.md",  # ahp-automation:/nightly, which is nightly.md
        "YWhwLXNlc3Npb246L2E.md",  # ahp-session:/a
    ],
)
def test_a_name_that_no_resource_has_names_nothing(name):
    with pytest.raises(InvalidError, match="names no automation"):
        resource_of_file(name)


@given(st.text(min_size=1, max_size=60))
def test_every_resource_has_one_name_and_no_name_leaves_the_folder(rest):
    resource = f"ahp-automation:/{rest}"
    try:
        name = file_name(resource)
    except InvalidError:
        return
    assert "/" not in name
    assert not name.startswith(".")
    assert resource_of_file(name) == resource


@given(st.text(max_size=40))
def test_a_name_stands_for_a_resource_of_that_name_or_for_none(stem):
    try:
        resource = resource_of_file(f"{stem}.md")
    except InvalidError:
        return
    assert file_name(resource) == f"{stem}.md"
