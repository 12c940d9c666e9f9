"""The name of an automation's file, which is the resource it has on the catalogue.

``ahp-automation:/<id>`` is ``<id>.md`` where the id is one to sixty-four lower-case letters,
digits and dashes, the first of them no dash. Every other URI of the scheme is the whole of it
as unpadded url-safe base64. So each resource has one name, no two have the same, and no name
leaves its folder: neither alphabet has a slash or a dot.
"""

import binascii
import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final

from wakeful.errors import InvalidError
from wakeful.model.automations import SCHEME
from wakeful.reading.kinds import RESOURCE, is_text

FILE_SUFFIX: Final = ".md"

LONGEST_NAME: Final = 255
"""How many bytes a file system gives a name; longer URIs cannot be kept as files."""

OTHER_SCHEME: Final = "Automation resource must use the ahp-automation scheme"
"""What a resource in another scheme is refused with."""

_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,63}", re.ASCII)
_BASE64: Final = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
_EXPECTED: Final = (
    "the name of an automation's file: an id of 1 to 64 lower-case letters, digits and dashes "
    f"and {FILE_SUFFIX}, such as nightly-review.md"
)


def file_name(resource: str) -> str:
    """The name of the file that an automation is kept in.

    Args:
        resource: Any URI in the ``ahp-automation`` scheme.

    Raises:
        InvalidError: It is in another scheme, names nothing, or is too long for a name.

    >>> file_name("ahp-automation:/nightly-review")
    'nightly-review.md'
    >>> file_name("ahp-automation:/Daily Review")
    'YWhwLWF1dG9tYXRpb246L0RhaWx5IFJldmlldw.md'
    """
    if not is_text(resource) or not resource.startswith(SCHEME):
        raise InvalidError.single("resource", resource, RESOURCE.expected, OTHER_SCHEME)
    id_ = resource.removeprefix(f"{SCHEME}/")
    if _ID.fullmatch(id_):
        return id_ + FILE_SUFFIX
    RESOURCE(resource)
    name = urlsafe_b64encode(resource.encode()).rstrip(b"=").decode() + FILE_SUFFIX
    if len(name) > LONGEST_NAME:
        raise InvalidError.single(
            "resource",
            resource,
            f"a URI whose file name is at most {LONGEST_NAME} bytes long",
            "Automation resource is too long to be kept as a file",
        )
    return name


def resource_of_file(name: str) -> str:
    """The resource that a file's name stands for.

    Args:
        name: The name without its folder, such as ``nightly-review.md``.

    Raises:
        InvalidError: No resource has this name.

    >>> resource_of_file("YWhwLWF1dG9tYXRpb246L0RhaWx5IFJldmlldw.md")
    'ahp-automation:/Daily Review'
    """
    stem = name.removesuffix(FILE_SUFFIX)
    if stem != name and _ID.fullmatch(stem):
        return f"{SCHEME}/{stem}"
    resource = _decoded(stem)
    # What some other spelling decodes to has a name already, and this is not it.
    if resource is None or not _has_name(resource, name):
        raise InvalidError.single(
            "", name, _EXPECTED, f"{name!r} names no automation; expected {_EXPECTED}"
        )
    return resource


def _decoded(stem: str) -> str | None:
    if not _BASE64.fullmatch(stem):
        return None
    try:
        return urlsafe_b64decode(stem + "=" * (-len(stem) % 4)).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None


def _has_name(resource: str, name: str) -> bool:
    try:
        return file_name(resource) == name
    except InvalidError:
        return False
