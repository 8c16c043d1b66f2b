"""The part of a study file about people: consent, forms, platform, pay, codes, rights."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from empeval.protocols.blocks import Block, Count, Slug, Text, wrong

__all__ = ["Completion", "Consent", "FormField", "Pay", "Platform", "Skip"]

Platform = Literal["lab", "prolific", "open"]

_Amount = Annotated[float, Field(gt=0, le=10_000)]


class Consent(Block):
    """What a rater agrees to before anything else; a changed text gets a new ``version``."""

    version: Text = "1"
    text: Text
    statements: tuple[Text, ...] = ()


class FormField(Block):
    """One field of the form about the rater; nothing is required unless it says so."""

    name: Slug
    prompt: Text
    kind: Literal["choice", "text", "number"] = "choice"
    options: tuple[Text, ...] = ()
    required: bool = False

    @model_validator(mode="after")
    def _has_options(self) -> FormField:
        if (self.kind == "choice") != bool(self.options):
            raise wrong("a field of kind choice has options, and no other has", "options")
        if len(set(self.options)) < len(self.options):
            raise wrong("an option is there twice", "options")
        return self


class Completion(Block):
    """The codes that send a rater back to the platform, and the address that takes them (``{code}``)."""

    done: Text | None = None
    screened_out: Text | None = None
    problem: Text | None = None
    url: Text | None = None

    @model_validator(mode="after")
    def _codes_differ(self) -> Completion:
        codes = [code for code in (self.done, self.screened_out, self.problem) if code is not None]
        if len(set(codes)) < len(codes):
            raise wrong("done, screened_out and problem need codes of their own", "screened_out")
        if self.url is not None and "{code}" not in self.url:
            raise wrong("expected an address with {code} in it", "url")
        if self.url is not None and not self.url.startswith(("https://", "http://")):
            raise wrong("expected an address that starts with https://", "url")
        return self


class Pay(Block):
    """What a rater gets for the study, in minutes and money."""

    amount: _Amount
    currency: Annotated[str, Field(pattern=r"^[A-Z]{3}$")] = "GBP"
    minutes: _Amount | None = None
    minimum_per_hour: _Amount | None = None


class Skip(Block):
    """Whether an item may be passed over without loss of pay, and how often."""

    allowed: bool = True
    max_per_rater: Count | None = None
