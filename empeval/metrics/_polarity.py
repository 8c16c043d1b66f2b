"""Which of the 32 emotions of EmpatheticDialogues are pleasant, as MIME groups them."""

from __future__ import annotations

from empeval.metrics._fields import same_label

__all__ = ["polarity"]

#: Table 1 of Majumder et al. (2020), MIME; surprise counts as pleasant there, nostalgia does not.
_POSITIVE = frozenset(
    (
        *("caring", "confident", "content", "excited", "faithful", "grateful", "hopeful", "impressed"),
        *("joyful", "prepared", "proud", "surprised", "trusting"),
    )
)
_NEGATIVE = frozenset(
    (
        *("afraid", "angry", "annoyed", "anticipating", "anxious", "apprehensive", "ashamed", "devastated"),
        *("disappointed", "disgusted", "embarrassed", "furious", "guilty", "jealous", "lonely", "nostalgic"),
        *("sad", "sentimental", "terrified"),
    )
)


def polarity(label: str) -> str | None:
    """``positive`` or ``negative``; None for a label that is none of the 32.

    >>> polarity("Proud"), polarity("sad"), polarity("neutral")
    ('positive', 'negative', None)
    """
    emotion = same_label(label)
    return "positive" if emotion in _POSITIVE else "negative" if emotion in _NEGATIVE else None
