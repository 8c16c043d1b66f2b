"""Tokenizers by name: how a text becomes words before n-grams are counted."""

from empeval.tokenizers.base import TOKENIZERS, Tokenizer, get_tokenizer

__all__ = ["TOKENIZERS", "Tokenizer", "get_tokenizer"]
