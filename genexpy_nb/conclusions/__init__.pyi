# What `genexpy_nb.conclusions` offers, and where it is; the module loads from this list. `x as x` is how a stub hands a
# name on.
from .contenders import contenders_of_table as contenders_of_table
from .regret import regret_of_table as regret_of_table
from .replications import replication as replication
from .tables import agreement_of_table as agreement_of_table
