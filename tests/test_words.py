"""Spelling: no usual slips, and one way to write a word. Of two it is the British one, with -ize, as in Oxford.

`generalize` is this project's word, so verbs end in -ize where they may; `analyse` is none of these.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from project_prose import prose

#: Words that codespell takes for slips, and that are none.
FINE = ("ege", "fro", "te")

#: What is written differently elsewhere -> how it is written here.
ENDINGS = "e|es|ed|ing|ation|ations|er|ers|able"
VERBS = (
    "general|normal|standard|summar|recogn|minim|maxim|optim|random|vector|organ|regular|real|character|penal|initial|"
    "emphas|categor|formal|parametr|discret|serial|quant|token|critic|visual|sanit|synthes|hypothes|util|stabil|symmetr|"
    "local|central|equal|final|special|factor|binar|harmon|memor|priorit|popular|neutral|apolog|marginal|linear|polar|"
    "individual|winsor|material|ideal|external|internal|tabular|custom|modular|global|italic|capital|itemis|author"
)
OTHERWISE = {
    r"colors?|colored|coloring": "colour",
    r"behaviors?|behavioral": "behaviour",
    r"favors?|favored|favorable|favorite": "favour",
    r"neighbors?|neighboring|neighborhood": "neighbour",
    r"honors?|rigor|vigor|labor|flavors?": "-our",
    r"(un)?(label|model|cancel|travel|signal|total|channel|level|fuel)(ed|ing)": "two l",
    r"gray(s|ed|ish|scale)?": "grey",
    r"(re)?center(s|ed|ing)?|(milli|kilo|centi)?meters?|fibers?|theaters?": "-re",
    r"analyz(e|es|ed|ing|er)": "analyse",
    r"catalogs?|dialogs?": "-ogue",
    r"defense|offense|pretense": "-ence",
    r"toward|afterward|forwards": "towards",
    r"whilst|amongst|learnt|spelt|burnt": "while, among, learned, spelled, burned",
    r"percent(?! format)": "per cent",
    r"fulfill|enroll|skillful|willful": "one l",
    r"skeptic\w*|aging|artifacts?|mustache|plow": "sceptic, ageing, artefact",
    r"(judge|acknowledge)ment": "judgment",
}


def found(pattern):
    """Where prose has a word; in any case, but not as a part of another or of a name in code."""
    word = re.compile(rf"(?<![\w.\-/])(?:{pattern})(?![\w(=])", re.IGNORECASE)
    lines = ((line, re.sub(r'"[^"]*"', "", line.text)) for line in prose())  # others are quoted as they write
    return [f"{line.where}: {hit[0]}" for line, text in lines for hit in word.finditer(text)]


def test_there_is_prose_to_look_at():
    assert len(prose()) > 5000
    assert {line.file.suffix for line in prose()} == {".md", ".py"}
    assert not any("```" in line.text or ">>>" in line.text for line in prose())


def test_verbs_end_in_ize():
    assert found(rf"(?:\w*(?:{VERBS}))is(?:{ENDINGS})") == []


@pytest.mark.parametrize("pattern", OTHERWISE)
def test_a_word_is_written_in_one_way(pattern):
    assert found(pattern) == [], f"here it is {OTHERWISE[pattern]}"


def slips(text):
    """What codespell finds: line number and how it would be written."""
    command = [sys.executable, "-m", "codespell_lib", "--ignore-words-list", ",".join(FINE), "-"]
    how = {"input": text, "capture_output": True, "text": True, "encoding": "utf-8", "check": False}
    said = subprocess.run(command, cwd=Path(__file__).parent, **how)  # where no settings of others lie
    found = re.findall(r"^(\d+): .*\n\s*(.+ ==> .+)$", said.stdout, flags=re.MULTILINE)
    assert said.stderr == "" and (found or said.stdout.strip() == "")
    return [(int(number), slip) for number, slip in found]


def test_no_word_is_misspelled():
    pytest.importorskip("codespell_lib", reason="codespell is one of the tools for developers")
    assert slips("fine\nteh word") == [(2, "teh ==> the")]
    lines = prose()
    found = slips("\n".join(" ".join(line.text.split()) for line in lines))
    assert [f"{lines[number - 1].where}: {slip}" for number, slip in found] == []
