# What `genexpy_nb.fields` offers, and where it is; the module loads from this list. `x as x` is how a stub
# hands a name on.
from .itemwise import Items as Items
from .itemwise import items as items
from .pooling import Pooled as Pooled
from .pooling import pool as pool
from .seeds import Games as Games
from .seeds import games as games
from .votes import Preferences as Preferences
from .votes import preferences as preferences
