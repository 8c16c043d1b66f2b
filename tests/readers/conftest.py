"""One small file of each format, with sentences made up for these tests."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

TABLE = [
    {
        "id": "a",
        "dialogue_id": "d1",
        "context": ["my cat is back !"],
        "references": ["what a relief .", "so glad ."],
        "emotion": "joyful",
        "hypothesis": "that is great news !",
        "predicted_emotion": ["joyful", "content"],
        "nll": 12.5,
        "n_tokens": 4,
        "note": "x",
    },
    {
        "id": "b",
        "dialogue_id": "d1",
        "context": ["my cat is back !", "what a relief .", "she was gone for a week , it was awful"],
        "references": ["poor thing ."],
        "emotion": "sad",
        "hypothesis": "",
        "predicted_emotion": ["sad"],
        "nll": 3.0,
        "n_tokens": 2,
        "note": "y",
    },
]

EMPDG = """\
emotion:proud~
Context:['i baked my first bread']~
Emotion_context:['baked']~
Pred:exactly what i hoped for~~
Ref:feel proud !~
emotion:lonely~
Context:['nobody called', 'oh no', "it's been a quiet year"]~
Emotion_context:[]~
Pred:i am sorry~~
Ref:that is hard .~
""".replace("~", " ")

EMPDG_OLD = """\
0
emotion:proud~
Context:['i baked my first bread']~
Greedy:ready to eat~~
Ref:nice !~
0
emotion:lonely~
Context:['nobody called']~
Greedy:i am sorry~~
Ref:that is hard .~
""".replace("~", " ")

KEMP = """\
Emotion:proud
Context:['i baked my first bread']
Concept:[defaultdict(<class 'list'>, {'bread': [['loaf', 0.5]]})]
Pred:it smells good
Ref:how did it turn out ?
Emotion:lonely
Context:['nobody called', 'oh no', 'not once']
Concept:[]
Pred:
Ref:that is hard .
"""

MIME = (
    "### COMMENT: a score > 0 counts as positive ### \n"
    "EVAL\tLoss\tPPL\tAccuracy\tBleu_g\tBleu_b\tBleu_t\n"
    "test\t3.6000\t36.5982\t0.5000\t2.10\t3.20\t1.30\n"
    "emotion:proud\tvader-score: 0.4019\tpredicted_emotion: proud\n"
    "Context:['i baked my first bread']\n"
    "Topk:oh wow ! \n"
    "Beam: well done ! \n"
    "Greedy:good for you . \n"
    "Ref:Remarkable !\n" + "-" * 70 + "\n"
    "emotion:lonely\tvader-score: -0.2\tpredicted_emotion: sad\n"
    "Context:['i baked my first bread', 'Remarkable !', 'but nobody came to taste it']\n"
    "Topk:oh no . \n"
    "Beam: \n"
    "Greedy:i am sorry . \n"
    "Ref:i would have come .\n" + "-" * 70 + "\n"
)

MOEL = """\
Emotion: proud
Context: ['i baked my first bread']
trs: nice .
trs+multitask: great .
MOE: well done !\x20
MOE+oracle: lovely !
ref: how did it turn out ?

Emotion: lonely
Context: ['nobody called']
trs: why ?
trs+multitask: oh no .
MOE: i am sorry .
MOE+oracle: that is sad .
ref: that is hard .
"""

CEM = (
    "EVAL\tLoss\tPPL\tAccuracy\n"
    "3.6000\t36.5982\t2.1000\t0.5000\n"
    "Emotion: proud\n"
    "Pred Emotions: proud, joyful, content\n"
    "x_intent:[['to', 'eat']]\n"
    "x_need:[]\n"
    "Context:['i baked my first bread']\n"
    "Beam:well done\n"
    "Greedy:great work\n"
    "Ref:how did it turn out ?\n" + "-" * 63 + "\n"
    "Emotion: lonely\n"
    "Pred Emotions: sad, lonely, devastated\n"
    "x_intent:[['none']]\n"
    "x_need:[['a', 'phone']]\n"
    "Context:['nobody called', 'oh no', 'not once']\n"
    "Beam:i am sorry\n"
    "Greedy:eager to help\n"
    "Ref:that is hard .\n" + "-" * 63 + "\n"
)

SEEK = (
    "Loss\tAccuracy\n"
    "3.9000\t36.5982\t0.4000\t0.3000\t0.2000\t0.7500\t0.8333\t3.0000\t\n"
    "Emotion: ['proud', 'questioning']\n"
    "Pred Emotions: proud, joyful, content\n"
    "x_react:[['happy']]\n"
    "Context:['i baked my first bread']\n"
    "Greedy:great work friend\n"
    "Ref:how did it turn out ?\n" + "-" * 63 + "\n"
    "Emotion: ['lonely', 'sympathizing']\n"
    "Pred Emotions: sad, lonely, devastated\n"
    "x_react:[[]]\n"
    "Context:['nobody called']\n"
    "Greedy:that is hard\n"
    "Ref:that is hard .\n" + "-" * 63 + "\n"
)

ED = """\
conv_id,utterance_idx,context,prompt,speaker_idx,utterance,selfeval,tags
hit:0_conv:1,1,proud,I baked bread_comma_ my first,1,I baked bread_comma_ and it rose!,5|5|5_4|4|4,
hit:0_conv:1,2,proud,I baked bread_comma_ my first,2,"Did it taste good?,5|5|5_4|4|4,
hit:0_conv:1,3,proud,I baked bread_comma_ my first,1,It did_comma_ yes.,5|5|5_4|4|4,
hit:0_conv:1,4,proud,I baked bread_comma_ my first,2,Save me a slice_comma_ please.,5|5|5_4|4|4,<EMO>,one|two
hit:3_conv:7,1,lonely,Nobody called,5,Nobody called today.,1|1|1_1|1|1,
hit:3_conv:7,2,lonely,Nobody called,6,That is hard.,1|1|1_1|1|1,
"""

SEEK_LABELS = """\
,dialogue_id,turns,text,emotion,dialogue_emotion
0,70,1,"i baked bread , my first",proud,proud
1,70,2,did it rise ?,questioning,proud
2,71,1,"i baked bread , my first",proud,proud
3,71,2,did it rise ?,questioning,proud
4,71,3,it did,,proud
5,71,4,well done !,,proudacknowledging
6,72,1,nobody called,lonely,lonely
7,72,2,that is hard .,sympathizing,lonely
"""


def _jsonl() -> bytes:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in TABLE).encode()


def _delimited(delimiter: str) -> bytes:
    rows = [delimiter.join(TABLE[0])]
    for record in TABLE:
        cells = [json.dumps(v) if isinstance(v, list) else str(v) for v in record.values()]
        rows.append(delimiter.join('"' + cell.replace('"', '""') + '"' for cell in cells))
    return "\n".join([*rows, ""]).encode()


def _parquet() -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(TABLE), buffer)
    return buffer.getvalue()


@pytest.fixture(scope="session")
def examples() -> Mapping[str, bytes]:
    """Reader → the bytes of a file that it recognises; two systems at most, two or three records."""
    return {
        "jsonl": _jsonl(),
        "csv": _delimited(","),
        "tsv": _delimited("\t"),
        "parquet": _parquet(),
        "lines": b"oh no .\n\nthat is great !\n",
        "empatheticdialogues": ED.encode(),
        "empdg": EMPDG.encode(),
        "empdg_old": EMPDG_OLD.encode(),
        "kemp": KEMP.encode(),
        "mime": MIME.encode(),
        "moel": MOEL.encode(),
        "cem": CEM.encode(),
        "seek": SEEK.encode(),
        "seek_labels": SEEK_LABELS.encode(),
    }


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    """Writes a file of this test's folder and returns its path."""

    def write(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write
