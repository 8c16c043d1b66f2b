"""Models on disk: finding a folder, naming its bytes, loading it, and what that may use."""

from empeval.models.folder import ModelFolder, find
from empeval.models.resources import Resources, current, using

__all__ = ["ModelFolder", "Resources", "current", "find", "using"]
