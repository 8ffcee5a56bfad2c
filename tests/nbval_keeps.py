"""A plugin of the pytest that runs nbval: it keeps what nbval has executed, so that nobody need execute it again."""

import os

import nbformat

#: Environment variable with the file that the notebook is written to, if it is set.
KEPT = "NBVAL_KEEPS"


def pytest_sessionfinish(session):
    if KEPT in os.environ and session.items:
        for item in session.items:
            item.cell.outputs = getattr(item, "test_outputs", [])  # none, if the cell did not run
        nbformat.write(session.items[0].parent.nb, os.environ[KEPT])
