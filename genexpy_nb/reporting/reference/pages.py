"""The pages of the reference: one for what `genexpy_nb` hands on, one for each room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

import griffe
from jinja2 import Environment, FileSystemLoader, select_autoescape
from markupsafe import Markup
from pygments.formatters import HtmlFormatter

from genexpy_nb.reporting.html import POLICY, TEMPLATES, fonts
from genexpy_nb.reporting.reference.collecting import Entry, Group, Reference, Room, remark
from genexpy_nb.reporting.reference.wording import Linker, described, first_sentence, signature
from genexpy_nb.reporting.sanitizing import printable

# Names of modules that do not read well as a heading.
_TITLES = {"nstar": "n*", "signerror": "Sign-errors"}
_FEWEST_LISTED = 2  # entries of a module, or members of a class, that are listed before they are described


def to_pages(reference: Reference) -> dict[str, str]:
    """Return the pages of the reference."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=select_autoescape(["html"]), trim_blocks=True, lstrip_blocks=True
    )
    template = environment.get_template("reference/page.html")
    shared = {
        "policy": POLICY,
        "css": Markup(fonts() + (TEMPLATES / "report" / "report.css").read_text(encoding="utf-8")),
        "highlight_css": Markup(HtmlFormatter(style="default").get_style_defs(".highlight")),
        "highlight_css_dark": Markup(HtmlFormatter(style="github-dark").get_style_defs(".highlight")),
        "package": reference.package.name,
        "rooms": [_card(room, reference) for room in reference.rooms],
    }
    names = _by_name(reference)
    return {
        room.file: printable(template.render(**shared, page=_page(room, reference, names))) for room in reference.rooms
    }


def _card(room: Room, reference: Reference) -> dict[str, Any]:
    """A page in the list of pages."""
    summary = first_sentence(_docstring(room.module), _linker(reference, {}, room, room.module))
    return {"file": room.file, "name": room.name or room.module.name, "summary": Markup(summary)}


def _docstring(thing: griffe.Object) -> str:
    return thing.docstring.value if thing.docstring else ""


def _by_name(reference: Reference) -> dict[str, str]:
    """Where a name leads that is used without saying of which module: nowhere if there are several."""
    found: dict[str, list[str]] = defaultdict(list)
    for room in reference.rooms:
        for group in room.groups:
            for entry in group.entries:
                inside = [*(member.short for member in entry.members), *entry.attributes]
                found[entry.short].append(f"{room.file}#{entry.anchor}")
                for name in inside:
                    found[f"{entry.short}.{name}"].append(f"{room.file}#{entry.anchor}.{name}")
    return {name: places[0] for name, places in found.items() if len(places) == 1 or places[0].startswith("api.html")}


def _linker(
    reference: Reference, names: Mapping[str, str], room: Room, module: griffe.Module, owner: griffe.Class | None = None
) -> Linker:
    """Give addresses as one who reads a docstring would: of the class, then of the module, the room, the package."""
    scopes = [scope.path for scope in (owner, module, room.module, reference.package) if scope is not None]

    @cache
    def link(name: str) -> str | None:
        name = name.removesuffix("()")
        if not name.replace(".", "").isidentifier():
            return None
        paths = [*(f"{scope}.{name}" for scope in scopes), name]
        places = (reference.place_of(path, room.file) for path in paths)
        found = next(filter(None, places), None)
        return found or names.get(name, "").removeprefix(room.file) or None

    return link


def _page(room: Room, reference: Reference, names: Mapping[str, str]) -> dict[str, Any]:
    link = _linker(reference, names, room, room.module)
    lead, _, rest = _docstring(room.module).partition("\n\n")
    rest = rest if room.name else ""  # how the front door loads is not what it is for
    groups = [_group(group, room, reference, names) for group in room.groups if group.entries or group.elsewhere]
    return {
        "file": room.file,
        "name": room.name or room.module.name,
        "front": not room.name,
        "lead": Markup(first_sentence(lead, link)),
        "intro": Markup(described(rest, link)) if rest else "",
        "usage": _usage(room, reference),
        "groups": groups,
        "all_names": sorted(_all_names(reference), key=lambda item: item[0].casefold()) if not room.name else [],
    }


def _usage(room: Room, reference: Reference) -> str:
    """How to get at what the page describes; empty where that is imported from its module."""
    named = f"import {reference.package.name} as gx"
    handed_on = [entry for group in room.groups for entry in group.entries if entry.name == entry.short]
    first = next((entry.name for entry in handed_on if entry.kind == "function"), "")
    if not room.name:
        return named
    return f"{named}\n\ngx.{room.name}.{first}(...)" if first else ""


def _all_names(reference: Reference) -> Iterator[tuple[str, str, str]]:
    for room in reference.rooms:
        for group in room.groups:
            for entry in group.entries:
                place = reference.place_of(entry.thing.path, reference.rooms[0].file)
                yield entry.short, place or "", room.name


def _group(group: Group, room: Room, reference: Reference, names: Mapping[str, str]) -> dict[str, Any]:
    link = _linker(reference, names, room, group.module)
    docstring = _docstring(group.module)
    if not room.name:
        docstring = docstring.partition("\n\n")[0]  # the rest is on the page of the module's room
    name = group.module.name
    in_order = sorted(group.entries, key=lambda entry: entry.kind == "constant")  # constants last
    entries = [_entry(entry, group, room, reference, names) for entry in in_order]
    return {
        "anchor": group.anchor,
        "title": _TITLES.get(name, name.replace("_", " ").capitalize()),
        "path": group.module.path,
        "intro": Markup(described(docstring, link)) if docstring else "",
        "entries": entries,
        "listed": len(entries) >= _FEWEST_LISTED,
        "elsewhere": [(path.rpartition(".")[2], reference.place_of(path, room.file)) for path in group.elsewhere],
    }


def _entry(entry: Entry, group: Group, room: Room, reference: Reference, names: Mapping[str, str]) -> dict[str, Any]:
    thing = entry.thing
    owner = entry.owner or (thing if isinstance(thing, griffe.Class) else None)
    link = _linker(reference, names, room, thing.module, owner)
    source = _docstring(thing) or (remark(thing) if isinstance(thing, griffe.Attribute) else "")
    prefix = entry.name.removesuffix(entry.short)
    anchors = {name: f"{entry.anchor}.{name}" for name in entry.attributes}
    members = [_entry(member, group, room, reference, names) for member in entry.members]
    return {
        "anchor": entry.anchor,
        "kind": entry.kind,
        "prefix": prefix,
        "name": entry.short,
        "signature": Markup(signature(thing, entry.short, link)),
        "bases": Markup(_bases(thing, link)),
        "summary": Markup(first_sentence(source, link)),
        "body": Markup(described(source, link, anchors)) if source else "",
        "members": members,
        "listed": len(members) >= _FEWEST_LISTED,
    }


def _bases(thing: Any, link: Linker) -> str:
    """The classes of the package, and the exceptions, that a class is made from."""
    if not isinstance(thing, griffe.Class):
        return ""
    shown = []
    for base in thing.bases:
        path = base if isinstance(base, str) else base.canonical_path
        name = path.rpartition(".")[2]
        address = link(path)
        if address:
            shown.append(Markup('<a href="{}"><code>{}</code></a>').format(address, name))
        elif name.endswith(("Error", "Warning", "Exception")):
            shown.append(Markup("<code>{}</code>").format(name))
    return ", ".join(shown)
