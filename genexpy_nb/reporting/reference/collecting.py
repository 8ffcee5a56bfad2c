"""What the package offers, room by room: read from its sources, where each thing is described, and how it is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import griffe

from genexpy_nb.reporting.reference.wording import attribute_names

#: Rooms in the order of their pages. The first is the front door; in those with True, users import from modules.
ROOMS = {
    "": False,
    "datasets": False,
    "generalization": True,
    "significance": False,
    "protocol": False,
    "causal": False,
    "tradeoff": False,
    "plots": True,
    "testbed": True,
    "experiments": True,
    "common": True,
}
# What a reader of the front door wants first; other modules follow by name, errors last.
_FIRST = ("study", "study_plan", "kernels", "nstar", "answers", "reading", "tables", "functions", "components")
_LAST = ("rankings", "errors")

Thing = griffe.Class | griffe.Function | griffe.Attribute


@dataclass(frozen=True)
class Entry:
    """One name with its description."""

    name: str
    thing: Thing
    kind: str
    owner: griffe.Class | None = None
    members: tuple[Entry, ...] = ()
    attributes: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """Its place in the page."""
        return self.name

    @property
    def short(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]


@dataclass
class Group:
    """What a room offers from one module."""

    module: griffe.Module
    entries: list[Entry] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)

    @property
    def anchor(self) -> str:
        """Its place in the page: ``module-`` and the path within the package."""
        return "module-" + self.module.path.partition(".")[2]


@dataclass(frozen=True)
class Room:
    """A page of the reference."""

    name: str
    module: griffe.Module
    groups: tuple[Group, ...]

    @property
    def file(self) -> str:
        """Name of the page's file."""
        return f"api-{self.name}.html" if self.name else "api.html"


@dataclass(frozen=True)
class Reference:
    """All pages, and where each thing is described."""

    package: griffe.Module
    rooms: tuple[Room, ...]
    places: Mapping[str, str]

    def path_of(self, path: str) -> str | None:
        """Return where something is defined that may be imported elsewhere under that path; None if it is nowhere."""
        here: griffe.Object = self.package
        parts = path.split(".")
        if parts[0] in ("gx", self.package.name):
            parts = parts[1:]
        for number, part in enumerate(parts):
            if f"{here.path}.{part}" in self.places and isinstance(here, griffe.Class):
                return f"{here.path}.{part}" if number == len(parts) - 1 else None
            member = here.members.get(part)
            if member is None:
                return None
            try:
                here = _definition(member)
            except griffe.GriffeError:  # it is of another package
                return None
        return here.path

    def place_of(self, path: str, page: str = "") -> str | None:
        """Return file and anchor of what has that path, the anchor alone if it is on that page; None if it has none."""
        found = self.path_of(path)
        place = self.places.get(found) if found is not None else None
        return place.removeprefix(page) if place and page and place != page else place


class _Together(griffe.Extension):
    """Constants that are assigned together, ``A, B = 1, 2``, which griffe leaves out."""

    def on_module_members(self, *, node: ast.AST | griffe.ObjectNode, mod: griffe.Module, **_: Any) -> None:
        for statement in node.body if isinstance(node, ast.Module) else ():
            match statement:
                case ast.Assign([ast.Tuple(names)], ast.Tuple(values)):
                    for name, value in zip(names, values, strict=True):
                        if isinstance(name, ast.Name) and name.id not in mod.members:
                            found = griffe.Attribute(name.id, lineno=statement.lineno, value=ast.unparse(value))
                            mod.set_member(name.id, found)


def collect(folder: Path, rooms: Mapping[str, bool] = ROOMS) -> Reference:
    """Read a package and sort what it offers into pages."""
    loader = griffe.GriffeLoader(
        search_paths=[folder.parent], allow_inspection=False, extensions=griffe.load_extensions(_Together())
    )
    package = loader.load(folder.name)
    loader.resolve_aliases(implicit=False, external=False)
    if not isinstance(package, griffe.Module):
        raise griffe.LoadingError(f"{folder} is no package")
    places: dict[str, str] = {}
    found = tuple(_room(name, package, by_module, places) for name, by_module in rooms.items())
    return Reference(package, found, places)


def _room(name: str, package: griffe.Module, by_module: bool, places: dict[str, str]) -> Room:
    module = package
    for part in filter(None, name.split(".")):
        module = module.members[part]  # type: ignore[assignment]
    groups: dict[str, Group] = {}
    for called, thing in _offered(module, by_module):
        group = groups.setdefault(thing.module.path, Group(thing.module))
        if thing.path in places:
            group.elsewhere.append(thing.path)
        else:
            group.entries.append(entry := _entry(called, thing))
            places |= _places(entry, Room(name, module, ()).file)
    if by_module:
        for inner in _modules(module):
            groups.setdefault(inner.path, Group(inner))
    if name:
        places |= {inner.path: Room(name, module, ()).file for inner in _modules(module)}
    room = Room(
        name, module, tuple(sorted(groups.values(), key=_in_order if not name else lambda group: group.module.path))
    )
    places[module.path] = room.file
    if name:
        places |= {group.module.path: f"{room.file}#{group.anchor}" for group in room.groups}
    return room


def _in_order(group: Group) -> tuple[int, str]:
    name = group.module.name
    place = _FIRST.index(name) if name in _FIRST else len(_FIRST) + (name in _LAST)
    return place, group.module.path


def _places(entry: Entry, file: str) -> dict[str, str]:
    path = f"{entry.owner.path}.{entry.short}" if entry.owner else entry.thing.path
    found = {path: f"{file}#{entry.anchor}"}
    for member in entry.members:
        found |= _places(member, file)
    return found | {f"{path}.{name}": f"{file}#{entry.anchor}.{name}" for name in entry.attributes}


def _definition(thing: griffe.Object | griffe.Alias) -> griffe.Object:
    return thing.final_target if isinstance(thing, griffe.Alias) else thing


def _modules(module: griffe.Module) -> Iterator[griffe.Module]:
    for _, inner in sorted(module.modules.items()):
        if isinstance(inner, griffe.Module) and not inner.name.startswith("_"):
            if not inner.is_init_module:
                yield inner
            yield from _modules(inner)


def _offered(module: griffe.Module, by_module: bool) -> Iterator[tuple[str, Thing]]:
    """Names as they are used, and what they are: of the package first, then of its modules, if users import those."""
    seen = set()
    for name in _exported(module):
        thing = _definition(module.members[name])
        if isinstance(thing, Thing):
            seen.add(thing.path)
            yield name, thing
    for inner in _modules(module) if by_module else ():
        prefix = inner.path.removeprefix(f"{module.path}.")
        for name in map(str, inner.exports or ()):
            thing = _definition(inner.members[name])
            if isinstance(thing, Thing) and thing.module is inner and thing.path not in seen:
                yield f"{prefix}.{name}", thing


def _exported(module: griffe.Module) -> list[str]:
    """Names in ``__all__``, or in the list from which a package loads them when they are used."""
    if module.exports is not None:
        return [str(name) for name in module.exports]
    if not Path(str(module.filepath)).with_suffix(".pyi").is_file():
        return []
    inside = module.path.partition(".")[0] + "."
    return [
        name
        for name, member in module.members.items()
        if isinstance(member, griffe.Alias) and member.target_path.startswith(inside)
    ]


def _entry(name: str, thing: Thing, owner: griffe.Class | None = None) -> Entry:
    members: tuple[Entry, ...] = ()
    attributes: list[str] = []
    if isinstance(thing, griffe.Class):
        members = tuple(
            _entry(f"{name}.{inner}", member, thing)
            for inner, member in _members(thing)
            if not inner.startswith("_") or (inner == "__call__" and member.docstring)
        )
        known = {member.short for member in members}
        attributes = [
            name for name in attribute_names(thing.docstring.value if thing.docstring else "") if name not in known
        ]
    return Entry(name, thing, _kind(thing, owner), owner, members, tuple(attributes))


def _members(thing: griffe.Class) -> Iterator[tuple[str, Thing]]:
    """What a class offers, in the order of the source, then what it inherits."""
    for name, member in {**thing.members, **_inherited(thing)}.items():
        found = _definition(member)
        if isinstance(found, griffe.Function) or (isinstance(found, griffe.Attribute) and _is_described(found)):
            yield name, found


def _inherited(thing: griffe.Class) -> dict[str, griffe.Object | griffe.Alias]:
    return {name: member for name, member in thing.inherited_members.items() if name not in thing.members}


def _is_described(thing: griffe.Attribute) -> bool:
    return "property" in thing.labels or thing.docstring is not None or bool(remark(thing))


def remark(thing: Thing) -> str:
    """Return what the lines that begin with ``#:`` say above a constant."""
    file = thing.filepath
    lines: Sequence[str] = thing.lines_collection[file] if thing.lineno and isinstance(file, Path) else []
    said: list[str] = []
    for line in reversed(lines[: (thing.lineno or 1) - 1]):
        if not line.lstrip().startswith("#:"):
            break
        said.insert(0, line.lstrip().removeprefix("#:").strip())
    return " ".join(said)


def _kind(thing: Thing, owner: griffe.Class | None) -> str:
    if isinstance(thing, griffe.Class):
        return "exception" if thing.name.endswith(("Error", "Warning")) else "class"
    if isinstance(thing, griffe.Function):
        if owner is None:
            return "function"
        special = [label for label in ("classmethod", "staticmethod") if label in thing.labels]
        return f"{special[0].removesuffix('method')} method" if special else "method"
    if "property" in thing.labels:
        return "property"
    return "attribute" if owner else "constant"
