"""Would another study draw the same conclusion? Agreement of two independent studies, for any number of experiments.

`agreement_of_table` is where to begin; `genexpy_nb.Study.agreement` asks it of a study.
"""

from genexpy_nb.conclusions.functions import agreement_of_function
from genexpy_nb.conclusions.tables import agreement_of_table, experiments_needed

__all__ = ["agreement_of_function", "agreement_of_table", "experiments_needed"]
