# What `genexpy_nb.datasets` offers, and where it is; the module loads from this list. `x as x` is how a stub hands a
# name on.
from .locating import load_agents as load_agents
from .locating import load_bigbench as load_bigbench
from .locating import load_cloze as load_cloze
from .locating import load_cloze_votes as load_cloze_votes
from .locating import load_encoders as load_encoders
from .locating import load_encoders_unscaled as load_encoders_unscaled
from .locating import load_mteb as load_mteb
from .locating import load_replicates as load_replicates
from .locating import load_tradeoff_cells as load_tradeoff_cells
from .locating import load_tradeoff_cifar10 as load_tradeoff_cifar10
from .locating import load_tradeoff_measures as load_tradeoff_measures
from .locating import notice as notice
from .locating import with_source_tables as with_source_tables

NAMES: tuple[str, ...]
SOURCES: tuple[str, ...]
