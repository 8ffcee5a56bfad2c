# What `genexpy_nb.protocol` offers, and where it is; the module loads from this list. `x as x` is how a stub
# hands a name on.
from .analysis import Comparison as Comparison
from .analysis import compare as compare
from .analysis import instability as instability
from .analysis import nadeau_bengio as nadeau_bengio
from .determinism import set_determinism as set_determinism
from .preregistration import Preregistration as Preregistration
from .preregistration import check_preregistration as check_preregistration
from .preregistration import preregister as preregister
from .reproducibility import checklist as checklist
from .splits import Splits as Splits
from .splits import make_splits as make_splits
from .trials import Trials as Trials
from .trials import run_trials as run_trials
