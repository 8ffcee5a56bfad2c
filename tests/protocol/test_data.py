"""What a data set must be like: targets and groups as arrays, and fingerprints of their content."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from genexpy_nb.common.errors import DataError
from genexpy_nb.protocol.splits import check_rows

TEXTS = ["b", "a", "b"]


@pytest.mark.parametrize(
    "y", [TEXTS, np.array(TEXTS), np.array(TEXTS, dtype=object), pd.Series(TEXTS, index=[4, 5, 6])]
)
def test_texts_become_strings_of_numpy(y):
    target, groups = check_rows([0, 0, 0], y, pd.Series([2, 1, 2]))
    assert target.dtype.kind == "U"
    assert target.tolist() == TEXTS
    assert groups.tolist() == [2, 1, 2]


@pytest.mark.parametrize("X", [[[1.0]] * 3, np.zeros((3, 0)), sparse.csr_array((3, 2)), pd.DataFrame({"a": [1, 2, 3]})])
def test_rows_are_counted_in_any_form(X):
    assert check_rows(X, [0.5, 1.5, 2.5])[0].tolist() == [0.5, 1.5, 2.5]
    with pytest.raises(DataError, match="X has 3 rows, y has 2"):
        check_rows(X, [0, 1])
    with pytest.raises(DataError, match="X has 3 rows, y has 4"):
        check_rows(X, [0, 1, 0, 1])
    for groups in ([1, 2], [1, 2, 3, 4]):
        with pytest.raises(DataError, match=f"groups has {len(groups)} values, y has 3: there must be one per row"):
            check_rows(X, [0, 1, 0], groups)


def test_missing_targets_and_groups_are_named():
    with pytest.raises(DataError, match="y has 2 missing values, the first in row 1"):
        check_rows([0, 0, 0], ["a", None, np.nan])
    with pytest.raises(DataError, match="groups has 1 missing values, the first in row 0"):
        check_rows([0, 0, 0], [1, 2, 3], [np.nan, 1, 2])
    with pytest.raises(DataError, match=r"groups must have one value per row, got shape \(3, 1\)"):
        check_rows([0, 0, 0], [1, 2, 3], [[1], [2], [3]])
