"""Links and cross-references in what people read: they lead somewhere, and nobody needs a network to see that."""

import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import nbformat
from project_prose import MARKDOWN, NOTEBOOKS, ROOT, cells

from genexpy_nb.common.page import page_object
from genexpy_nb.reporting.references import read_references

_LINK = re.compile(
    r"(?<!\\)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)[^)]*\)"
)
_FENCED = re.compile(r"^ *(```|~~~).*?^ *\1", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


class Link(NamedTuple):
    """A link, and the line that it stands on."""

    where: str
    file: Path
    target: str


def texts(file):
    """(First line, Markdown) of each part of a file; code that stands apart is blanked out."""
    if file.suffix == ".py":
        parts = [(cell.first, cell.source) for cell in cells(file) if cell.markdown]
    else:
        parts = [(1, file.read_text(encoding="utf-8"))]
    return [(first, _FENCED.sub(lambda found: "\n" * found[0].count("\n"), text)) for first, text in parts]


@cache
def links():
    return tuple(
        Link(f"{file.relative_to(ROOT)}:{first + text.count(chr(10), 0, found.start())}", file, found["target"])
        for file in (*MARKDOWN, *NOTEBOOKS)
        for first, text in texts(file)
        for found in _LINK.finditer(re.sub(r"`[^`\n]+`", lambda code: "x" * len(code[0]), text))
    )


@cache
def anchors(file):
    """What can be linked in a file: its headings, and the figures and tables that a notebook shows."""
    slug, taken, found = (_on_a_page if file.suffix == ".py" else _on_github), Counter(), set()
    for heading in (heading for _, text in texts(file) for heading in _HEADING.findall(text)):
        name = slug(heading)
        taken[name] += 1
        first = 1 if file.suffix == ".py" else 0  # of the numbers that tell equal headings apart
        found.add(name if taken[name] == 1 else f"{name}-{taken[name] - 1 + first}")
    if file.name == "vocabulary.md":  # its page lets links lead to a word
        words = re.findall(r"^\| ([^|(`]+)", file.read_text(encoding="utf-8"), re.MULTILINE)
        found |= {_on_a_page(word.strip()) for word in words}
    if file.suffix == ".py":
        node = nbformat.read(file.with_suffix(".ipynb"), as_version=4)
        said = [page_object(output) for cell in node.cells for output in cell.get("outputs", ())]
        found |= {f"{each['kind']}-{each['name']}" for each in said if each and "name" in each}
    return found


def _on_a_page(heading):
    """As reports name their headings."""
    return re.sub(r"[^\w]+", "-", re.sub(r"[*`$\\]|\]\([^)]*\)", "", heading).casefold()).strip("-")


def _on_github(heading):
    plain = re.sub(r"\]\([^)]*\)", "", heading)
    return re.sub(r"[^\w\- ]", "", plain.strip().lower()).replace(" ", "-")


def is_outside(target):
    return re.match(r"[a-z][a-z0-9+.-]*:", target, re.IGNORECASE) is not None


def test_links_are_found():
    inside = [link for link in links() if not is_outside(link.target)]
    assert len(links()) > 150 and len(inside) > 60
    assert {link.file for link in links()} >= {*NOTEBOOKS, ROOT / "README.md"}


def test_links_within_the_project_lead_somewhere():
    wrong = []
    for where, file, target in links():
        if is_outside(target):
            continue
        path, _, anchor = target.partition("#")
        there = (file.parent / path).resolve() if path else file
        if not target or not there.exists() or not there.is_relative_to(ROOT):
            wrong.append(f"{where}: {target}")
            continue
        there = there.with_suffix(".py") if there.suffix == ".ipynb" else there
        if anchor and anchor not in (anchors(there) if there.suffix in (".py", ".md") else ()):
            wrong.append(f"{where}: {target}: no heading, figure or table of that name")
    assert wrong == []


def test_notebooks_that_are_named_are_there():
    numbers = {file.name[:2] for file in NOTEBOOKS}
    wrong = [
        f"{file.name}: notebook {number}"
        for file in (*MARKDOWN, *NOTEBOOKS)
        for _, text in texts(file)
        for number in re.findall(r"\b[Nn]otebooks? (\d\d)\b", text)
        if number not in numbers
    ]
    assert wrong == []


def test_files_that_are_named_in_code_type_are_there():
    """`docs/scale.md`, `notebooks/02_encoders.py`: not what commands write."""
    pattern = re.compile(
        r"`((?:docs|data|notebooks|tests|benchmarks|genexpy_nb|reports)/[\w./-]+\.(?:md|py|ipynb|yaml|json))`"
    )
    wrong = [
        f"{file.name}: {name}"
        for file in MARKDOWN
        for name in pattern.findall(file.read_text(encoding="utf-8"))
        if not (ROOT / name).exists() and "/html/" not in name and not re.search(r"\bNAME\b|\bNN_", name)
    ]
    assert wrong == []


@cache
def addresses():
    """Address -> where it stands, of all that lead out of the project."""
    found = defaultdict(list)
    for link in links():
        if is_outside(link.target):
            found[link.target].append(link.where)
    for reference in read_references().values():
        for address in reference.addresses:
            found[address].append(f"references.yaml: {reference.key}")
    return found


def test_links_that_lead_out_have_a_good_form():
    odd = {
        address: places
        for address, places in addresses().items()
        if not re.fullmatch(
            r"https://[a-z0-9.-]+\.[a-z]{2,}(/[\w.~%!&'()*+,;=:@/-]*)?(\?[\w=&.%-]+)?(#[\w.-]+)?", address
        )
        or re.search(r"[.,;:]$|//.*//|utm_|[?&]ref=|[?&]sid=", address)
    }
    assert odd == {}


def test_one_place_has_one_address():
    """Not once with and once without a slash at its end, `www.` or an anchor."""
    places = defaultdict(set)
    for address in addresses():
        places[re.sub(r"^https://(www\.)?|#.*$|/$", "", address).lower()].add(address)
    assert {place: sorted(ways) for place, ways in places.items() if len(ways) > 1} == {}
