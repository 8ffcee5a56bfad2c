# What `genexpy_nb.datasets` offers, and where it is; the module loads from this list. `x as x` is how a stub hands a
# name on.
from .tables import load_agents as load_agents
from .tables import load_bigbench as load_bigbench
from .tables import load_cloze as load_cloze
from .tables import load_cloze_votes as load_cloze_votes
from .tables import load_encoders as load_encoders
from .tables import load_encoders_unscaled as load_encoders_unscaled
from .tables import load_mteb as load_mteb
from .tables import load_replicates as load_replicates
from .tables import load_tradeoff_cells as load_tradeoff_cells
from .tables import load_tradeoff_cifar10 as load_tradeoff_cifar10
from .tables import load_tradeoff_control as load_tradeoff_control
from .tables import load_tradeoff_measures as load_tradeoff_measures
from .tables import notice as notice
from .tables import with_source_tables as with_source_tables

NAMES: tuple[str, ...]
SOURCES: tuple[str, ...]
