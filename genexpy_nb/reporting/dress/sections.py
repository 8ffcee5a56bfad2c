"""Where things stand on a page: the answer on top, no empty headings, set-up at the end, a list of contents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from bs4 import BeautifulSoup, Tag

from genexpy_nb.reporting.dress.parts import new_element, plain_text


def hoist(soup: BeautifulSoup) -> None:
    """Put what cells tagged ``findings`` and ``hero`` show below the title: the answer, and one figure."""
    head = soup.select_one("header.page-head")
    for tag, label in (("findings", "Findings"), ("hero", "Main figure")):
        found = soup.select(f"main > .jp-CodeCell.celltag_{tag} .jp-OutputArea")
        areas = [area for area in found if not area.select_one(".traceback")]
        if head is not None and areas:
            section = soup.new_tag("section", attrs={"class": tag, "aria-label": label})
            section.extend(area.extract() for area in areas)
            head.append(section)


def drop_title(soup: BeautifulSoup, companion: bool = False) -> None:
    """Drop the notebook's own title: the page has one already."""
    heading = soup.select_one(".jp-MarkdownCell h1")
    if heading is None:
        return
    first = heading.find_next_sibling()
    if (
        companion
        and first is not None
        and first.name == "p"
        and plain_text(first).startswith("Executable companion to")
    ):
        first.decompose()
    heading.decompose()


def drop_empty_sections(soup: BeautifulSoup) -> None:
    """Drop headings under which a page shows nothing; code before the first that stays goes to the end."""
    pieces = list(_pieces(soup))
    shown = dict.fromkeys(range(2, 7), False)  # by level: anything between here and the next heading like that or above
    dropped = []
    for kind, element in reversed(pieces):
        level = int(element.name[1]) if kind == "heading" else 7
        if kind == "shown" or shown.get(level):
            shown |= {above: True for above in shown if above < level}
        elif kind == "heading":
            dropped.append(element)
        shown |= {same: False for same in shown if same >= level}
    _move_setup(soup, pieces, dropped)
    for heading in dropped:
        heading.decompose()
    for cell in soup.select("main > .jp-MarkdownCell"):
        if not cell.get_text(strip=True) and not cell.select_one("img, svg, hr, input"):
            cell.decompose()


def _pieces(soup: BeautifulSoup) -> Iterable[tuple[str, Tag]]:
    """Headings (``heading``), cells that have only code (``code``), and all else that a reader sees (``shown``)."""
    for cell in _cells(soup):
        if "jp-CodeCell" in (cell.get("class") or ()):
            yield ("shown" if _has_output(cell) else "code"), cell
            continue
        text = cell.select_one(".jp-RenderedMarkdown") or cell
        for child in text.find_all(True, recursive=False):
            yield ("heading" if re.fullmatch("h[2-6]", child.name) else "shown"), child


def _cells(soup: BeautifulSoup) -> list[Tag]:
    """What stands between the head and the foot of a page; a selector would look at every element of it."""
    inside = soup.main.find_all(True, recursive=False) if soup.main else []
    return [each for each in inside if each.name not in ("header", "footer")]


def _has_output(cell: Tag) -> bool:
    return any(area.find(True) for area in cell.find_all(class_="jp-OutputArea"))


def _move_setup(soup: BeautifulSoup, pieces: Sequence[tuple[str, Tag]], dropped: Sequence[Tag]) -> None:
    """Move code of the sections that open a notebook and show nothing (parameters, imports) to the end of the page."""
    cells, names = [], []
    for kind, element in pieces:
        if kind == "heading":
            if all(element is not heading for heading in dropped):
                break
            names.append(plain_text(element))
        elif kind == "code" and names:
            cells.append(element)
    footer = soup.select_one("footer.provenance")
    if not cells or footer is None:
        return
    setup = soup.new_tag("details", attrs={"class": "about setup"})
    setup.append(new_element("summary", f"Code that runs first: {', '.join(names)}", {}))
    for cell in cells:
        for code in cell.select("details.code .jp-InputArea"):
            setup.append(code.extract())
        cell.decompose()
    footer.append(setup)


def link_headings(soup: BeautifulSoup) -> None:
    """Give every heading an id and an anchor, and fill the list of contents."""
    contents = soup.select_one("nav.toc ol")
    taken = Counter(str(element["id"]) for element in soup.find_all(id=True))
    for heading in soup.select("main h1, main h2, main h3, main h4"):
        if heading.find_parent(class_=["jp-OutputArea", "page-head"]) or not heading.get_text(strip=True):
            continue
        label = plain_text(heading)
        slug = re.sub(r"[^\w]+", "-", label.casefold()).strip("-") or "section"
        taken[slug] += 1
        heading["id"] = slug if taken[slug] == 1 else f"{slug}-{taken[slug]}"
        if heading.name in ("h1", "h2", "h3") and contents is not None:
            item = soup.new_tag("li", attrs={"class": f"toc-{heading.name}"})
            link = soup.new_tag("a", attrs={"href": f"#{heading['id']}"})
            link.extend(BeautifulSoup(heading.decode_contents(), "html.parser").contents[:])
            for nested in link.find_all("a"):
                nested.unwrap()
            item.append(link)
            contents.append(item)
        anchor = new_element(
            "a", "#", {"class": "anchor", "href": f"#{heading['id']}", "aria-label": f"Link to {label}"}
        )
        heading.append(anchor)


def set_asides(soup: BeautifulSoup) -> None:
    """Turn quotations that begin with "Aside:" into notes, which stand in the margin where it is wide enough."""
    for quote in soup.select("main .jp-RenderedMarkdown > blockquote"):
        first = quote.find(string=lambda text: bool(text.strip()))
        if first is not None and first.strip().startswith("Aside:"):
            first.replace_with(first.lstrip().removeprefix("Aside:").lstrip())
            quote.name, quote["class"], quote["role"] = "div", "margin-note", "note"


def merge_code(soup: BeautifulSoup) -> None:
    """Fold code of cells that show nothing and follow each other into one."""
    before: Tag | None = None
    for cell in _cells(soup):
        folded = cell.select("details.code")
        silent = "jp-CodeCell" in (cell.get("class") or ()) and len(folded) == 1 and not _has_output(cell)
        if not silent or folded[0].get("id"):
            before = None
        elif before is None:
            before = folded[0]
        else:
            before.extend(area.extract() for area in folded[0].select(".jp-InputArea"))
            cell.decompose()
