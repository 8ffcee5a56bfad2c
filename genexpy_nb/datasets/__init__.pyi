# What `genexpy_nb.datasets` offers, and where it is; the module loads from this list. `x as x` is how a stub hands a
# name on.
from .leaderboard import load_mteb as load_mteb
from .locating import Located as Located
from .locating import fetch as fetch
from .locating import locate as locate
from .locating import status as status
from .notices import notice as notice
from .registry import NAMES as NAMES
from .registry import SOURCES as SOURCES
from .registry import data_folder as data_folder
from .replicates import load_replicates as load_replicates
from .tables import load_bigbench as load_bigbench
from .tables import load_encoders as load_encoders
from .tables import with_source_tables as with_source_tables
from .tradeoff import load_authors_cells as load_authors_cells
from .tradeoff import load_tradeoff_cells as load_tradeoff_cells
from .tradeoff import load_tradeoff_control as load_tradeoff_control
from .tradeoff import load_tradeoff_measures as load_tradeoff_measures
from .tradeoff_cifar10 import load_tradeoff_cifar10 as load_tradeoff_cifar10
from .tradeoff_cifar10 import load_tradeoff_cifar10_measures as load_tradeoff_cifar10_measures
