"""What people compare today: items of benchmarks, preferences, games, several benchmarks.

Every function takes a frame with a row per result and returns an object that says what was found, in sentences and
tables; docs/fields.md has an example of each. `StudyError` is raised for a column that is not there or a value that
cannot be, and names it.
"""

from genexpy_nb.fields.itemwise import Items, items
from genexpy_nb.fields.pooling import Pooled, pool
from genexpy_nb.fields.seeds import Games, games
from genexpy_nb.fields.votes import Preferences, preferences

__all__ = ["Games", "Items", "Pooled", "Preferences", "games", "items", "pool", "preferences"]
