# What `genexpy_nb.tradeoff` offers, and where it is; the module loads from this list. `x as x` is how a stub
# hands a name on.
from .array import KAPPAS as KAPPAS
from .array import STATISTICS as STATISTICS
from .array import over_seeds as over_seeds
from .array import to_array as to_array
from .metrics import cell as cell
from .metrics import class_metrics as class_metrics
from .point import TradeoffPoint as TradeoffPoint
from .point import tradeoff_point as tradeoff_point
from .point import tradeoff_points_by_seed as tradeoff_points_by_seed
from .signerror import MEASURES as MEASURES
from .signerror import null_band as null_band
from .tolerance import ToleranceBox as ToleranceBox
from .tolerance import tolerance_box as tolerance_box
