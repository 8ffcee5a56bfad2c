"""From the plain HTML of a notebook to a page: sections, numbered figures and tables, links between pages."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from bs4 import BeautifulSoup, NavigableString, Tag
from bs4.element import PreformattedString

from genexpy_nb.common.page_tables import MISSING
from genexpy_nb.reporting.inert import drawing, printable
from genexpy_nb.reporting.references import Reference, Site

# Widths that a table may need at small type, in rem; one that needs more is never shown as a grid.
TABLE_WIDTHS = (8, 12, 16, *range(18, 24), *range(24, 40, 2), *range(40, 62, 3))  # denser where a phone decides
TALL = 30  # rows, or printed lines, that scroll in a box of their own
_CHARACTER, _PADDING = 0.41, 0.62  # of a column at small type, in rem
_ENOUGH, _LONG = 20, 24  # characters: of a column for text of two lines or more; of a word that may break anywhere
_NUMBER = re.compile(
    r"(?:(?:less|more) than |[<>] )?[-+−]?(\d[\d,]*(\.\d*)?|\.\d+)([eE][-+]?\d+| × 10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)?\s?%?"
    r"|[-+−]?(nan|NaN|inf|∞|<NA>)|—|–"
)
_BEFORE_UNIT = re.compile(r"(?<=\d) (?=%)")
_TOGETHER = re.compile(r"\[[^\[\] ]{1,20}, [^\[\] ]{1,20}\]|\S = [-−]?\d")  # an interval, a value: on one line
_MINUS = re.compile(r"(?<![\w.\-)\]])-(?=\d+(?:\.\d+)?(?![\w-]))")
_AS_WRITTEN = ["pre", "code", "style", "script", "math", "table"]
_NOTEBOOK = re.compile(r"(?<!\w)(?P<name>\d\d_\w+)\.ipynb(?P<anchor>#[\w-]+)?")
_HEADS = {"nstar": "n*", "within_2": "within a factor of 2", "p_adjusted": "p, adjusted"}
_DOCUMENT = re.compile(r"(?:\.\./)?(?:docs/(?P<name>\w+)|data/README)\.md(?P<anchor>#[\w-]+)?")
_NUMBERED = re.compile(r"\b[Nn]otebook (?P<number>\d\d)\b")
_HEADINGS = ["h1", "h2", "h3", "h4", "h5", "h6"]
_NO_LINKS_IN = {*_HEADINGS, "a", "code", "pre", "script", "style", "math", "abbr", "summary", "nav"}


def new_element(tag: str, text: str, attributes: dict[str, str]) -> Tag:
    """Return a new element with a text in it."""
    made = BeautifulSoup("", "html.parser").new_tag(tag, attrs=attributes)
    made.string = text
    return made


def plain_text(whole: Tag) -> str:
    """Return the text of an element in one line, formulas as their TeX."""
    if whole.math is None:
        return " ".join(whole.get_text().split())
    parts = [
        str(node.get("alttext", "")) if isinstance(node, Tag) else str(node)
        for node in whole.descendants
        if (node.name == "math" if isinstance(node, Tag) else node.find_parent("math") is None)
    ]
    return " ".join("".join(parts).split())


# --- where things stand -----------------------------------------------------------------------------------------------


def hoist(soup: BeautifulSoup) -> None:
    """Put what cells tagged ``findings`` and ``hero`` say below the title: the answer, and one figure."""
    head = soup.select_one("header.page-head")
    for tag, label in (("findings", "Findings"), ("hero", "Main figure")):
        text = f"main > .jp-MarkdownCell > .jp-InputArea > .celltag_{tag}"
        found = soup.select(f"main > .jp-CodeCell.celltag_{tag} .jp-OutputArea, {text}")
        areas = [area for area in found if not area.select_one(".traceback")]
        if head is not None and areas:
            section = soup.new_tag("section", attrs={"class": tag, "aria-label": label})
            for area in areas:
                cell = area.find_parent(class_="jp-MarkdownCell")
                section.append(area.extract())
                if cell is not None:
                    cell.decompose()
            head.append(section)


def drop_title(soup: BeautifulSoup, companion: bool = False) -> None:
    """Drop the notebook's own title: the page has one already."""
    heading = soup.select_one(".jp-MarkdownCell h1")
    if heading is None:
        return
    first = heading.find_next_sibling()
    said = plain_text(first) if first is not None and first.name == "p" else ""
    if first is not None and companion and said.startswith("Executable companion to"):
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
        if not cell.get_text(strip=True) and not cell.select_one("img, math, hr, input"):
            cell.decompose()


def _pieces(soup: BeautifulSoup) -> Iterable[tuple[str, Tag]]:
    """Headings (``heading``), cells that have only code (``code``), and all else that a reader sees (``shown``)."""
    # between the head and the foot of a page; a selector would look at every element of it
    inside = soup.main.find_all(True, recursive=False) if soup.main else []
    for cell in (each for each in inside if each.name not in ("header", "footer")):
        if "jp-CodeCell" in (cell.get("class") or ()):
            yield ("shown" if cell.select_one(".jp-OutputArea *") else "code"), cell
            continue
        text = cell.select_one(".jp-RenderedMarkdown") or cell
        for child in text.find_all(True, recursive=False):
            yield ("heading" if re.fullmatch("h[2-6]", child.name) else "shown"), child


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
        for code in cell.select(".code .jp-InputArea"):
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
        said = {"class": "anchor", "href": f"#{heading['id']}", "aria-label": f"Link to {label}"}
        anchor = new_element("a", "#", said)
        heading.append(anchor)


# --- figures and tables with numbers ----------------------------------------------------------------------------------


def dress_objects(soup: BeautifulSoup, objects: Sequence[Mapping[str, Any]], report: str) -> Iterator[str]:
    """Turn what `genexpy_nb.common.page` showed into numbered figures and tables."""
    found = [(place, objects[int(str(place["data-object"]))]) for place in soup.select("[data-object]")]
    captions = {str(said.get("of")): place for place, said in found if said["kind"] == "caption"}
    numbers: Counter[str] = Counter()
    names: set[str] = set()
    for findings in soup.select(":is(.findings, .celltag_findings) ul"):
        _dress_findings(soup, findings)
    for place, said in found:
        kind = said["kind"]
        if kind in ("figure", "table"):
            word, name = kind.capitalize(), f"{kind}-{said.get('name')}"
            if name in names:
                yield f"two of the page's figures or tables are called {name!r}; each needs a name of its own"
                continue
            numbers[word] += 1
            names.add(name)
            caption = captions.pop(name, None)
            _dress(soup, place, said, name, f"{word} {numbers[word]}", caption, report)


def _dress_findings(soup: BeautifulSoup, findings: Tag) -> None:
    """Tell question, answer and certainty of each finding apart."""
    findings["class"] = "finding-list"
    for item in findings.find_all("li", recursive=False):
        for paragraph in item.find_all("p", recursive=False):
            paragraph.unwrap()
        parts = [part for part in item.contents if str(part).strip()]
        asked = parts.pop(0) if parts else None
        if not isinstance(asked, Tag) or asked.name != "strong":
            continue
        asked["class"], text = "finding-asked", soup.new_tag("span", attrs={"class": "finding-text"})
        if parts and isinstance(parts[-1], Tag) and parts[-1].name == "em":
            parts[-1].name, parts[-1]["class"] = "span", "finding-sure"
            parts.pop()
        text.extend([part.extract() for part in parts])
        asked.insert_after(text)


def _dress(
    soup: BeautifulSoup, place: Tag, said: Mapping[str, Any], name: str, label: str, caption: Tag | None, report: str
) -> None:
    """Put a figure or table, with its caption, into an element of its own."""
    kind = str(said["kind"])
    figure = soup.new_tag("figure", attrs={"id": name, "class": f"{kind}-object"})
    text = soup.new_tag("figcaption")
    text.append(new_element("a", f"{label}.", {"class": "number", "href": f"#{name}"}))
    if caption is not None:
        for paragraph in caption.select(".jp-RenderedMarkdown > *"):
            text.append(" ")
            text.extend([node.extract() for node in list(paragraph.contents)])
        caption.decompose()
    if "csv" in said:
        data = b64encode(("\ufeff" + str(said["csv"])).encode()).decode("ascii")
        link = {
            "class": "csv",
            "href": f"data:text/csv;charset=utf-8;base64,{data}",
            "download": f"{report}-{name}.csv",
        }
        text.append(" ")
        text.append(new_element("a", "CSV", {**link, "aria-label": f"{label} as CSV"}))
    place.replace_with(figure)
    figure.append(place)
    del place["data-object"]
    for number, image in enumerate(figure.select("img")):
        image["alt"] = str(said.get("alt") or image.get("alt") or "")
        _draw(soup, image, f"{name}-{number}-", label, f"large-{name}")
    if figure.select_one(".drawing"):
        place["id"] = f"large-{name}"
        place.append(new_element("a", "Close", {"class": "close", "href": f"#{name}"}))
    figure.insert(0 if kind == "table" else len(figure.contents), text)
    for region in figure.select('[role="region"]'):
        region["aria-label"] = f"{label}, scrolls"
    if summary := said.get("folded", f"Key numbers: {len(said['numbers'])}" if "numbers" in said else ""):
        folded = figure.wrap(soup.new_tag("details", attrs={"class": "about"}))
        folded.insert(0, new_element("summary", f"{label}. {summary}", {}))


class _Drawn(PreformattedString):
    """HTML that goes to the page as it is; nothing else looks into it."""

    PREFIX = SUFFIX = ""


def _draw(soup: BeautifulSoup, image: Tag, name: str, label: str, large: str) -> None:
    """Put a drawing into the text of the page, where it follows its colours; it leads to itself, enlarged."""
    svg = drawn(str(image["src"]), name, str(image["alt"]))
    if svg is not None:
        link = soup.new_tag("a", attrs={"class": "drawing", "href": f"#{large}", "title": f"Enlarge {label}"})
        link.append(_Drawn(svg))
        image.replace_with(link)


def drawn(address: str, name: str, alt: str) -> str | None:
    """Return the drawing in a ``data:`` address; see `drawing`."""
    head, _, data = address.partition("base64,")
    if not head.startswith("data:image/svg+xml;"):
        return None
    try:
        return drawing(b64decode(data).decode(), name, printable(alt))
    except ValueError:
        return None


# --- tables that fit --------------------------------------------------------------------------------------------------


def dress_tables(soup: BeautifulSoup) -> None:
    """Say what each cell is in, how wide a table must be, and align columns of numbers to the right."""
    for table in soup.select(".jp-RenderedHTMLCommon table"):
        if table.find_parent("table"):
            continue
        del table["border"]
        for row in table.select("tr[style]"):
            del row["style"]
        if "dataframe" in table.get_attribute_list("class"):
            _say_in_words(table)
        for text in table.find_all(string=_TOGETHER):
            text.replace_with(_TOGETHER.sub(lambda found: found[0].replace(" ", "\N{NO-BREAK SPACE}"), text))
        _repeat_heads(soup, table)
        _align_numbers(table)
        _say_scope(table)
        grid, heads = _grid(table.select("tbody > tr")), _columns(_grid(table.select("thead > tr")))
        _label_cells(grid, heads)
        needed = 0.0  # rem at small type, so that no word breaks
        for below, above in zip_longest(_columns(grid), heads, fillvalue=()):
            needed += _PADDING + _CHARACTER * max(map(_longest, [*below, *above]), default=1)
        fits = str(next((width for width in TABLE_WIDTHS if width >= needed), "lists"))
        wrapper = soup.new_tag("div", attrs={"class": "table-fit", "data-fit": fits})
        if len(grid) > TALL:
            wrapper.attrs |= {"tabindex": "0", "role": "region", "aria-label": f"Table with {len(grid)} rows"}
        table.wrap(wrapper)


def _say_in_words(table: Tag) -> None:
    """Head the columns of a frame with words instead of names, and show a dash where nothing is known."""
    for head in table.select("thead th"):
        name = plain_text(head)
        if name in _HEADS or ("_" in name and name.islower()):
            head.string = _HEADS.get(name, name.removeprefix("n_").replace("_", " "))
    for cell in table.select("td"):
        if plain_text(cell) == "NaN":
            cell.string = MISSING


def _repeat_heads(soup: BeautifulSoup, table: Tag) -> None:
    """Write the head of several rows again in each of them, where the table shows it once: lists need it in each."""
    above: list[str] = []
    for row in table.select("tbody > tr"):
        cells = _cells(row)
        n_heads = max((i + 1 for i, cell in enumerate(cells) if cell.name == "th"), default=0)
        texts = [plain_text(cell) for cell in cells[:n_heads]]
        for i, cell in enumerate(cells[:n_heads]):
            if cell.name == "td" and not texts[i] and i < len(above) and not cell.find(True):
                cell.name, cell["class"], texts[i] = "th", "again", above[i]
                hidden = soup.new_tag("span")
                hidden.string = above[i]
                cell.append(hidden)
        above = texts


def _cells(row: Tag) -> list[Tag]:
    return row.find_all(["th", "td"], recursive=False)


def _spanned(cell: Tag, name: str) -> int:
    text = str(cell.get(name) or 1)
    return min(max(int(text), 1), 1000) if text.isascii() and text.isdecimal() else 1


def _grid(rows: Sequence[Tag]) -> list[dict[int, Tag]]:
    """Which cell stands in which column, row by row; a cell that spans several stands in each."""
    grid: list[dict[int, Tag]] = [{} for _ in rows]
    for number, row in enumerate(rows):
        column = 0
        for cell in _cells(row):
            while column in grid[number]:
                column += 1
            width = _spanned(cell, "colspan")
            for below in grid[number : number + _spanned(cell, "rowspan")]:
                below |= {column + right: cell for right in range(width)}
            column += width
    return grid


def _columns(grid: Sequence[dict[int, Tag]]) -> list[list[Tag]]:
    width = max((max(row, default=-1) for row in grid), default=-1) + 1
    return [[row[column] for row in grid if column in row] for column in range(width)]


def _say_scope(table: Tag) -> None:
    for head in table.select("tr > th"):
        if not head.get_text(strip=True) and not head.find(True):
            head.name = "td"  # an empty corner is no head of anything
            del head["scope"]
        elif head.find_parent("thead"):
            head["scope"] = "colgroup" if _spanned(head, "colspan") > 1 else "col"
        else:
            head["scope"] = "rowgroup" if _spanned(head, "rowspan") > 1 else "row"


def _plain_name(head: Tag) -> str:
    """The name of a column for a label, which cannot hold a formula: its letters without the signs of TeX."""
    return re.sub(r"[\\{}$^]", "", plain_text(head)) if head.math else plain_text(head)


def _label_cells(grid: Sequence[dict[int, Tag]], heads: Sequence[Sequence[Tag]]) -> None:
    """Give each cell the name of its column (the heads above it), to be shown where the head has no room."""
    names = [[text for head in column if (text := _plain_name(head))] for column in heads]
    for row in grid:
        for column, cell in row.items():
            if column < len(names) and names[column] and not cell.has_attr("data-label"):
                # above an index, pandas writes the name of the columns, then that of the index
                own = names[column][-1:] if cell.name == "th" else dict.fromkeys(names[column])
                cell["data-label"] = " · ".join(own)


def _longest(cell: Tag) -> int:
    """Characters that a cell needs in a line; a very long word may break anywhere, and is marked."""
    text, width = plain_text(cell), _spanned(cell, "colspan")
    if cell.name == "td" and "num" in (cell.get("class") or ()):
        return len(text) // width
    longest = max(map(len, _TOGETHER.sub(lambda found: found[0].replace(" ", "_"), text).split()), default=0)
    if longest > _LONG:
        cell["class"] = " ".join([*(cell.get("class") or ()), "long"])
        longest = _LONG
    return max(longest, min((len(text) + 1) // 2, _ENOUGH if cell.name == "td" else 0)) // width


def _align_numbers(table: Tag) -> None:
    # Counted from the right: headers that span rows are missing on the left of the rows after the first.
    rows = [row.find_all("td", recursive=False)[::-1] for row in table.select("tbody > tr")]
    for column in range(max(map(len, rows), default=0)):
        cells = [row[column] for row in rows if column < len(row)]
        texts = [text for cell in cells if (text := cell.get_text().strip()) and text != "..."]
        numbers = [text.partition(" [")[0] for text in texts]  # an estimate may have its interval behind it
        if not texts or not all(map(_NUMBER.fullmatch, numbers)):
            continue
        heads = [row.find_all(["th", "td"], recursive=False)[::-1] for row in table.select("thead > tr")]
        simple = [row[column] for row in heads if column < len(row) and not any(c.has_attr("colspan") for c in row)]
        for cell in [*cells, *simple]:
            cell["class"] = " ".join([*(cell.get("class") or ()), "num" if numbers == texts else "ends"])


# --- links and words --------------------------------------------------------------------------------------------------


def link_pages(soup: BeautifulSoup, site: Site, own: str) -> None:
    """Let links to notebooks and texts of ``docs``, and numbers of notebooks in the text, lead to their pages."""
    for link in soup.select("main a[href]"):
        document = _DOCUMENT.fullmatch(str(link["href"]))
        if document and document["name"] and site.pages:
            link["href"] = f"doc-{document['name']}.html{document['anchor'] or ''}"
        elif document:
            link.unwrap()
            continue
        found = _NOTEBOOK.fullmatch(str(link["href"]))
        page = site.page_of(found["name"]) if found else None
        if found and page:
            link["href"] = f"{page}{found['anchor'] or ''}" if found["name"] != own else found["anchor"] or "#content"
        elif found:
            link.unwrap()  # there is no page of it here

    def linked(found: re.Match[str]) -> Tag | None:
        page = None if own.startswith(found["number"]) else site.page_of(found["number"])
        return new_element("a", found[0], {"href": page}) if page else None

    for text in _prose(soup.select("main .jp-RenderedMarkdown, main .finding-text, main figcaption")):
        _put_elements(text, _NUMBERED, linked)


def _put_elements(text: NavigableString, pattern: re.Pattern[str], made: Callable[[re.Match[str]], Tag | None]) -> None:
    """Put elements in the place of what a pattern finds in a text, where one is made of it."""
    pieces: list[NavigableString | Tag] = []
    end = 0
    for found in pattern.finditer(text):
        if element := made(found):
            pieces += [NavigableString(text[end : found.start()]), element]
            end = found.end()
    if pieces:
        text.replace_with(*pieces, NavigableString(text[end:]))


def _prose(places: Iterable[Tag]) -> list[NavigableString]:
    """Texts of a page that may become links, each once."""
    texts = {id(text): text for place in places for text in place.find_all(string=True)}
    # of this very class: what is derived from it is no text of the page, but a comment or the like
    own = (text for text in texts.values() if type(text) is NavigableString)
    return [text for text in own if _NO_LINKS_IN.isdisjoint(parent.name for parent in text.parents)]


def name_abbreviations(soup: BeautifulSoup, meanings: Mapping[str, str]) -> None:
    """Mark abbreviations, once in each paragraph, and list above the references what those of the page stand for."""
    if not meanings:
        return
    pattern = re.compile(rf"(?<![\w-])({'|'.join(map(re.escape, sorted(meanings, key=len, reverse=True)))})(?![\w-])")
    used: set[str] = set()
    places = "main .finding-text, main .jp-RenderedMarkdown > *, main figcaption, main .jp-RenderedHTML :is(th, td)"
    for place in soup.select(places):
        new = dict(meanings)

        def explained(found: re.Match[str], new: dict[str, str] = new) -> Tag | None:
            return new_element("abbr", found[0], {"title": new.pop(found[0])}) if found[0] in new else None

        for text in _prose([place]):
            _put_elements(text, pattern, explained)
        used |= meanings.keys() - new
    references = soup.select_one("section.bibliography")
    if used and references is not None:
        listed = new_element("details", "", {"class": "abbreviations"})
        terms = new_element("dl", "", {})
        for short in sorted(used, key=str.casefold):
            terms.extend([new_element("dt", short, {}), new_element("dd", meanings[short], {})])
        listed.extend([new_element("summary", "Abbreviations", {}), terms])
        references.insert_before(listed)


def cite(soup: BeautifulSoup, references: Mapping[str, Reference], own: Sequence[str] = ()) -> None:
    """List the papers that a page links to, at its end; each once, by the first author's surname."""
    place = soup.select_one("section.bibliography")
    if place is None:
        return
    linked = {str(link["href"]).rstrip("/") for link in soup.select("main a[href]")}
    cited = [
        reference
        for key, reference in references.items()
        if key in own or any(address.rstrip("/") in linked for address in reference.addresses)
    ]
    if not cited:
        place.decompose()
        return
    entries = soup.new_tag("ul")
    for reference in sorted(cited, key=lambda reference: (reference.short.casefold(), reference.title)):
        item = soup.new_tag("li", attrs={"id": f"ref-{reference.key}"})
        item.append(f"{reference.authors} ({reference.year}). ")
        item.append(new_element("cite", reference.title, {}))
        stop = "" if reference.title.endswith(("?", "!")) else "."
        item.append(f"{stop} {reference.venue}. " if reference.venue else f"{stop} ")
        for what, address in ((("", reference.url),) if reference.url else ()) + reference.more:
            shown = what or address.removeprefix("https://")
            item.append(new_element("a", shown, {"href": address, "rel": "noreferrer"}))
            item.append(" ")
        entries.append(item)
    place.append(entries)


def set_numbers(soup: BeautifulSoup) -> None:
    """Write numbers in sentences as a printer would: a true minus sign, and no line end before a per cent sign."""
    for text in soup.find_all(string=re.compile(r"\d")):
        if type(text) is NavigableString and not text.find_parent(_AS_WRITTEN):
            written = _MINUS.sub("−", _BEFORE_UNIT.sub("\N{NO-BREAK SPACE}", text))
            if written != text:
                text.replace_with(written)
