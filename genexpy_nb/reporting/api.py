"""Pages about what the package offers: the front door and each room, made by pdoc from what their ``__all__`` names."""

from __future__ import annotations

import re
from collections.abc import Callable
from hashlib import sha256
from importlib import import_module
from pathlib import Path

import genexpy_nb
from genexpy_nb.common.files import write_atomically
from genexpy_nb.common.hashing import folder_hash, versions
from genexpy_nb.reporting.html import POLICY, TEMPLATES

ROOMS = ("datasets", "significance", "generalization", "protocol", "causal", "tradeoff", "plots")
_LINK = re.compile(r'href="(?:\.{1,2}/)*(?:genexpy_nb/)?(\w+)\.html')


def write_api(folder: Path, state: Path, say: Callable[[str], None] = print) -> bool:
    """Write ``api.html`` and ``api-ROOM.html`` if the package has changed since they were written."""
    package = Path(genexpy_nb.__file__).parent
    key = sha256(f"{folder_hash(package)} {versions(('pdoc',))}".encode()).hexdigest()
    files = [folder / _file(room) for room in ("", *ROOMS)]
    if state.is_file() and state.read_text(encoding="utf-8") == key and all(file.is_file() for file in files):
        return True
    try:
        pages = to_pages()
        state.unlink(missing_ok=True)
        for old in set(folder.glob("api*.html")) - {folder / name for name in pages}:
            old.unlink()
        for name, page in pages.items():
            write_atomically(folder / name, page)
        write_atomically(state, key)
    except Exception as error:  # of a docstring, a template or a disk: none of them is worth the reports
        say(f"reference: not written: {type(error).__name__}: {' '.join(str(error).split())}")
        return False
    say(f"reference: {len(pages)} pages written")
    return True


def to_pages() -> dict[str, str]:
    """Return the pages by name of file."""
    from pdoc import doc, render  # which no report needs

    render.configure(docformat="numpy", search=False, show_source=False, template_directory=TEMPLATES / "api")
    render.env.globals["policy"] = POLICY
    render.env.filters["room_file"] = _file
    modules = {}
    for name in ("genexpy_nb", *(f"genexpy_nb.{room}" for room in ROOMS)):
        room = import_module(name)
        for public in getattr(room, "__all__", ()):  # pdoc looks only at what has been loaded
            vars(room).setdefault(public, getattr(room, public))
        if (found := doc.Module(room)).members:
            modules[name] = found
    pages = {}
    for name, module in modules.items():
        html = _LINK.sub(_flat, render.html_module(module, modules))
        # parts of a docstring stand right below the name
        pages[_file(name.partition(".")[2])] = html.replace("<h6 ", '<h6 aria-level="2" ')
    return pages


def _file(room: str) -> str:
    return f"api-{room}.html" if room else "api.html"


def _flat(link: re.Match[str]) -> str:
    name = link[1]
    return f'href="{_file("" if name == "genexpy_nb" else name)}' if name in ("genexpy_nb", *ROOMS) else link[0]
