"""Published evaluations of empathetic dialogue systems, as data: metrics, human studies, reported numbers.

A protocol is a YAML file, described in docs/protocols.md. `load` takes the name of a shipped one, or a file.
"""

from empeval.protocols.documentation import json_schema, protocol_table, write_json_schema
from empeval.protocols.grim import grim, grim_shares
from empeval.protocols.loading import load, names
from empeval.protocols.model import Protocol
from empeval.protocols.published import Cell, PublishedTable

__all__ = [
    "Cell",
    "Protocol",
    "PublishedTable",
    "grim",
    "grim_shares",
    "json_schema",
    "load",
    "names",
    "protocol_table",
    "write_json_schema",
]
