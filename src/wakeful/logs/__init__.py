"""Readers of logs, one module a format, and the recorder of the native one.

:func:`open_logs` is the door: files and folders in, inputs in one total order out, with a
report of what was read. A format is a :class:`LogFormat`; further ones plug in.
"""

from wakeful.logs.formats import format_names
from wakeful.logs.native_writer import REDACTED, write_native
from wakeful.logs.reader import Head, LogFormat, Origin, Reader
from wakeful.logs.recorder import Recorder
from wakeful.logs.report import FileReport, LogReport
from wakeful.logs.stream import LogStream, open_logs
from wakeful.logs.values import LineError, input_hash

__all__ = [
    "REDACTED",
    "FileReport",
    "Head",
    "LineError",
    "LogFormat",
    "LogReport",
    "LogStream",
    "Origin",
    "Reader",
    "Recorder",
    "format_names",
    "input_hash",
    "open_logs",
    "write_native",
]
