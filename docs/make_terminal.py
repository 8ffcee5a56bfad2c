"""Draw the summary of a study in a terminal, for the README: ``python docs/make_terminal.py``."""

import io
import os
import re
from pathlib import Path

from rich.console import Console

from genexpy_nb.own_study import terminal
from genexpy_nb.own_study.request import StudyRequest

os.chdir(Path(__file__).resolve().parents[1] / "data")
request = StudyRequest(
    "encoders.parquet",
    alternatives=("encoder",),
    target=("cv_score",),
    higher_is_better="higher",
    over=("dataset",),
    fixed=("tuning=no", "scoring=AUC", "model=LR"),
)
frame = request.read()
answers = request.answers(request.study(frame))
console = Console(
    record=True, file=io.StringIO(), width=100, force_terminal=True, color_system="truecolor", markup=False, emoji=False
)
terminal.print_summary(console, answers, request, frame)
svg = console.export_svg(title="genexpy-nb study encoders.parquet ...", clear=False)
svg = re.sub(r"<!--.*?-->|@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # a picture asks nobody for a font
Path(__file__).resolve().with_name("terminal.svg").write_text(svg, encoding="utf-8")
