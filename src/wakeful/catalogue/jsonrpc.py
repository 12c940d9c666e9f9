"""JSON-RPC 2.0 over JSON text, for hosts whose transport does not bring it along.

A text is a request, which has an ``id`` and is answered, or a notification, which has none:
of those ``dispatchAction`` is known. What is told to clients travels as the notification
``action``.
"""

import json
from collections.abc import Mapping
from typing import Any

from wakeful.catalogue import names, refusals
from wakeful.catalogue.catalogue import Catalogue
from wakeful.errors import InvalidError
from wakeful.model.time import Instant
from wakeful.reading.kinds import is_map, plain


def receive(catalogue: Catalogue, client: str, text: str | bytes, *, at: Instant) -> str | None:
    """Take what a client sent.

    Never raises for what a client may send, whatever it is. What is longer than the
    catalogue's limit on messages is refused before it is looked at.

    Returns:
        The answer to send back; ``None`` for what has none.
    """
    most = catalogue.limits.message
    if len(text) > most:
        said = f"This message is {len(text)} bytes long; expected at most {most}."
        return _error(None, refusals.INVALID_REQUEST, said)
    try:
        message = plain(json.loads(text))
    except (ValueError, InvalidError, RecursionError):
        return _error(None, refusals.PARSE_ERROR, "This is no JSON text.")
    if not is_map(message) or not isinstance(message.get("method"), str):
        id_ = message.get("id") if is_map(message) else None
        return _error(id_, refusals.INVALID_REQUEST, "This is no JSON-RPC request.")
    method, params = message["method"], message.get("params", {})
    if "id" not in message:
        if method == names.DISPATCH:
            catalogue.dispatch(client, params, at=at)
        return None
    id_ = message["id"]
    try:
        result = catalogue.request(client, method, params, at=at)
    except refusals.RefusedError as error:
        return _error(id_, error.code, error.reason)
    return json.dumps({"jsonrpc": "2.0", "id": id_, "result": result})


def notification(envelope: Mapping[str, Any]) -> str:
    """What a host sends a client it is to tell something."""
    return json.dumps({"jsonrpc": "2.0", "method": names.ACTION, "params": envelope})


def _error(id_: Any, code: int, message: str) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id_, "error": {"code": code, "message": message}})
