"""The paper's numbers are those that it prints."""

import pytest

from genexpy_nb.common.errors import ParameterError
from genexpy_nb.protocol import placeholders


def test_placeholders_are_those_of_the_paper():
    estimates = placeholders("estimates")
    assert ((estimates["low"] < estimates["estimate"]) & (estimates["estimate"] < estimates["high"])).all()
    settings = placeholders("settings").set_index(["data", "setting"])
    assert settings.loc[("IMDB", "protocol")].to_list() == [0.029, 1.9, 3, 0.047]
    assert settings.index[settings["wins"] > settings["n_pairs"]].to_list() == [("CIFAR-10", "single seed")]
    settings["fwer"] = 0.0  # a copy each time
    assert placeholders("settings")["fwer"].min() > 0
    with pytest.raises(ParameterError, match="table must be one of"):
        placeholders("pairs")
