"""A plugin of the pytest that runs nbval: it keeps what nbval has executed, so that nobody need execute it again.

nbval runs cells of code only; the values that the text between them asks for are worked out here.
"""

import os
from itertools import takewhile

import nbformat

from genexpy_nb.reporting.pairing import INLINE_VALUES, as_metadata, expressions

#: Environment variable with the file that the notebook is written to, if it is set.
KEPT = "NBVAL_KEEPS"


def pytest_runtest_teardown(item):
    cells = item.parent.nb.cells
    behind = cells[next(place for place, cell in enumerate(cells) if cell is item.cell) + 1 :]
    for cell in takewhile(lambda cell: cell.cell_type != "code", behind):
        if asked := expressions(cell):
            cell.metadata[INLINE_VALUES] = as_metadata(zip(asked, values(item.parent.kernel, asked), strict=True))


def values(kernel, asked):
    """Ask a kernel for the values of expressions."""
    named = {str(place): expression for place, expression in enumerate(asked)}
    sent = kernel.kc.execute("", silent=True, user_expressions=named)
    while (reply := kernel.get_message("shell", timeout=60))["parent_header"].get("msg_id") != sent:
        pass
    return [reply["content"]["user_expressions"][place] for place in named]


def pytest_sessionfinish(session):
    if KEPT in os.environ and session.items:
        for item in session.items:
            item.cell.outputs = getattr(item, "test_outputs", [])  # none, if the cell did not run
        nbformat.write(session.items[0].parent.nb, os.environ[KEPT])
