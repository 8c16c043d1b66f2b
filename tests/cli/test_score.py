"""``empeval score``: what it prints, and where."""

from __future__ import annotations

import io
import json
import os
import sys

import pytest
import sacrebleu

from tests_cli_data import ANSWERS, SITUATIONS

SYSTEMS = ("warm.jsonl", "flat.jsonl", "mute.jsonl", "--corpus", "corpus.jsonl")
