"""Hostile notebooks in a real browser: their pages run nothing, request nothing, and nothing lies over the page."""

import json
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from chromium import BROWSER, COMMAND, MISSING
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell

from genexpy_nb.reporting.html import POLICY, Page, to_html
from genexpy_nb.reporting.overviews import to_index
from genexpy_nb.reporting.pairing import NotebookFile, normalise
from genexpy_nb.reporting.parameters import Parameter
from genexpy_nb.reporting.spec import Report
from genexpy_nb.reporting.state import Entry

pytestmark = [pytest.mark.notebooks, pytest.mark.skipif(BROWSER is None, reason=MISSING)]

# URL is replaced by an address of the test's own server, JS by a script that asks for that address.
MARKUP = (Path(__file__).parent / "hostile_markup.txt").read_text(encoding="utf-8").splitlines()

# In a document of their own: in the control, each of these would take the page away or hide what comes after it.
ALONE = re.compile(r"refresh|frameset|plaintext|<base|</body|noframes|display: none")

MARKDOWN = r"""
![a](URL)
![a][r]

[r]: URL "t"
[a](javascript:JS)
[a](<java script:JS>)
[a](data:text/html,<script>JS</script>)
<javascript:JS>
[a](URL "x\" onclick=\"JS")
![a](x"onerror="JS)
![a](x "\"onerror=\"JS")
`<img src=x onerror=JS>` <img src=x onerror=JS>
```mermaid
<img src=x onerror=JS>
```
```"><img src=x onerror=JS>
1
```
| a | <img src=URL> |
|---|---|
| <script>JS</script> | ![](URL) |
<div markdown=1 style="position: fixed; inset: 0">

*over*
</div>
![](attachment:none.png)
![](../../../etc/hostname)
![](.)
[x]: javascript:JS
[x]
""".strip().splitlines()

TEX = r"""
\href{javascript:JS}{x}
\href{URL}{x}
\style{background-image:url(URL)}{x}
\style{position:fixed;inset:0;background:red}{x}
\class{toc}{x}
\cssId{failed}{x}
\color{url(URL)}{x}
\colorbox{url(URL)}{x}
\text{<img src=x onerror=JS>}
\def\alpha{\href{URL}{x}}\alpha
\rule[-900em]{1800em}{1800em}
\smash{\rlap{\hspace{-900em}\rule[-900em]{1800em}{1800em}}}
""".strip().splitlines()

DRAWING = r"""
<image href="URL" width="9" height="9"/>
<image xlink:href="data:image/svg+xml,&lt;svg onload='JS'&gt;" width="9" height="9"/>
<use href="URL#a"/>
<rect fill="url(URL#p)" style="fill: url(URL#p); mask: url(URL#m); color: u\72l(URL); position: fixed" onclick="JS"/>
<a xlink:href="javascript:JS"><text>link</text></a>
<script>JS</script>
<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="URL"/></foreignObject>
<animate attributeName="href" to="URL" onbegin="JS"/>
<style>@import url(URL); * { background: url(URL) }</style>
<g onload="JS" clip-path="url(URL#c)"><path d="M -9000 -9000 L 9000 9000" style="stroke: #123456"/></g>
<text style="font-family: x; fill: url('URL')">&lt;img src=x onerror=JS&gt;&lt;/svg&gt;</text>
<h2 xmlns="http://www.w3.org/1999/xhtml">Under a drawing</h2>
"""

PROBE = """<script>
const wait = ms => new Promise(done => setTimeout(done, ms));
addEventListener('load', async () => {
  for (const box of document.querySelectorAll('details')) box.open = true;
  for (const each of document.querySelectorAll('main *')) {
    if (each.closest('a, [href]') && !each.closest('[onclick]')) continue;
    for (const kind of ['pointerover', 'mouseover', 'mouseenter', 'focus', 'click', 'toggle'])
      each.dispatchEvent(new Event(kind, {bubbles: kind == 'click'}));
  }
  await wait(1000);
  const data = [...document.querySelectorAll('.jp-RenderedHTMLCommon *, .jp-RenderedText *, .jp-Cell svg *')];
  const moved = data.filter(each => {
    const style = getComputedStyle(each);
    return !each.matches('h1, h2, h3, h4, thead') && (style.position != 'static' || style.zIndex != 'auto'
        || style.transform != 'none' || style.boxShadow != 'none');
  }).map(each => each.outerHTML.slice(0, 200));
  const hidden = [];
  for (const each of document.querySelectorAll('main h2')) {
    each.scrollIntoView({block: 'center', behavior: 'instant'});
    const box = each.getBoundingClientRect();
    const top = document.elementFromPoint(box.left + 20, box.top + box.height / 2);
    if (!top || !each.contains(top) || getComputedStyle(each).color != 'rgb(29, 35, 43)')
      hidden.push(each.textContent + ' under ' + (top && top.outerHTML.slice(0, 200)));
  }
  const schemes = [...document.querySelectorAll('a, area')].map(each => {
    try { return new URL(each.href.baseVal ?? each.href, location).protocol } catch { return '' }
  });
  const asking = [...getComputedStyle(document.body)].filter(name =>
    CSS.supports(name, 'url("a")') || CSS.supports(name, 'url("a"), auto'));
  const asks = [...document.querySelectorAll('*')].map(each => getComputedStyle(each)).flatMap(style =>
    asking.map(name => style.getPropertyValue(name)).filter(value => /url\\((?!"?#)/.test(value)));
  const report = document.createElement('pre');
  report.id = 'probe';
  report.textContent = JSON.stringify({looked: data.length, ran: window.ran ?? [], moved, hidden,
    asks: [...new Set(asks)],
    schemes: [...new Set(schemes)].filter(each => !['http:', 'https:', 'mailto:', ''].includes(each)),
    live: [...document.querySelectorAll('iframe, object, embed, form, link, base, video, audio, button, dialog')]
      .concat([...document.scripts].slice(0, -1)).map(each => each.outerHTML.slice(0, 200))});
  document.body.append(report);
});
</script>"""


@pytest.fixture
def server():
    """Its address, pages by path, each for one visit, and the paths that were asked for beside."""
    pages, asked = {}, []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            page = pages.pop(self.path, None)
            if page is None and self.path != "/favicon.ico":
                asked.append(self.path)
            body = (page or "").encode()
            self.send_response(200 if page else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_POST = do_HEAD = do_OPTIONS = do_GET

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        threading.Thread(target=http.serve_forever, daemon=True).start()
        yield SimpleNamespace(address=f"http://127.0.0.1:{http.server_port}", pages=pages, asked=asked)
        http.shutdown()


@pytest.fixture
def visit(server, tmp_path):
    def run(path, html):
        """Load a page; returns the document as it is afterwards."""
        server.pages[path] = html
        options = ["--autoplay-policy=no-user-gesture-required", f"--user-data-dir={tmp_path / 'profile'}"]
        options += ["--window-size=1400,1000", "--virtual-time-budget=20000", "--dump-dom", server.address + path]
        done = subprocess.run([*COMMAND, *options], capture_output=True, text=True, timeout=180, check=True)
        return BeautifulSoup(done.stdout, "html.parser")

    return run


def armed(payloads, address, kind):
    """Payloads that ask for an address of their own."""
    for number, payload in enumerate(payloads):
        url = f"{address}/hit?{kind}={number}"
        script = f"(window.ran??=[]).push('{kind}-{number}');new/**/Image().src='{url}'"
        yield payload.replace("URL", url).replace("JS", script.replace("'", "&#39;"))


def output(**data):
    shown = new_output(
        "display_data", data={mime.replace("__", "+").replace("_", "/", 1): v for mime, v in data.items()}
    )
    return new_code_cell("x", outputs=[shown], execution_count=1)


def hostile_cells(address, markup=MARKUP, markdown=MARKDOWN, tex=TEX):
    """Every payload in every place where a notebook can have it."""
    raw = list(armed(markup, address, "html"))
    text = "\n".join(markdown).split("\n")
    marked = list(armed(text, address, "markdown"))
    formulas = list(armed(tex, address, "tex"))
    plain = [payload.replace("&#39;", "'") for payload in raw]
    for number, payload in enumerate(raw):
        if number % 10 == 0:
            yield new_markdown_cell(f"## Marker {number}")
        yield output(text_html=payload)
    yield new_markdown_cell("## Markdown that was computed")
    yield from (output(text_markdown=payload) for payload in [*raw, "\n".join(marked), *marked])
    yield new_markdown_cell("## Values of tables")
    frame = pd.DataFrame({"value": [*plain, *(f"${each}$" for each in formulas)]})
    frame.index = frame["value"]
    styled = frame.head(40).style.set_properties(**{"background": f"url({address}/hit?styler)"})
    with pd.option_context("display.max_colwidth", None):
        yield output(text_html=frame.to_html())
        yield output(text_html=frame.to_html(escape=False))
        yield output(text_html=styled.to_html())
        yield output(text_html=frame.to_html(index=False), text_plain=frame.to_string())
    yield new_markdown_cell("## Drawings and text")
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(raw[:40])}<image href="{address}/hit?svg"/></svg>'
    yield output(image_svg__xml=drawing)
    (armed_drawing,) = armed([DRAWING], address, "drawing")
    names = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="1"'
    shown = output(image_svg__xml=f'<svg {names} viewBox="0 0 9 9">{armed_drawing}</svg>')
    shown.outputs[0].metadata["genexpy"] = {"kind": "figure", "name": "a", "alt": raw[0]}
    yield shown
    yield output(text_latex="".join(f"${each}$" for each in formulas), application_javascript=raw[0])
    yield output(text_plain="\n".join(plain), **{"text_vnd.mermaid": raw[0]})
    stream = new_output(
        "stream", name="stderr", text="\x1b[31m" + "\n".join(plain) + "\x1b]8;;javascript:1\x07\x00\x08"
    )
    error = new_output("error", ename=plain[0], evalue=plain[4], traceback=[*plain[:40], "\x1b[31;1m" + plain[4]])
    yield new_code_cell("\n".join(plain), outputs=[stream, error], execution_count=1, metadata={"tags": [plain[4]]})
    yield new_markdown_cell("## Markdown of the notebook")
    yield from (new_markdown_cell(payload) for payload in [*raw, "\n".join(marked), *marked])
    yield new_markdown_cell("## Formulas of the notebook")
    yield from (new_markdown_cell(f"## Formula\n\n${each}$ and\n\n$${each}$$") for each in formulas)
    yield from (new_raw_cell(payload) for payload in raw)
    yield new_markdown_cell("## The last")


def hostile_page(address, cells):
    script = next(armed(['"><script>JS</script><img src=URL>'], address, "page"))
    pair = NotebookFile(script, Path("01_a.py"), Path("01_a.ipynb"))
    report = Report("a", script, script, pair, (Parameter("a", "str", script, script),), {"a": script + "1"})
    return to_html(normalise(new_notebook(cells=cells)), Page(report, [(script, script)], script))


def without_policy(html):
    """The page without its last line of defence, and with the probe."""
    assert html.count(POLICY) == 1 and html.count("</body>") == 1
    return html.replace(POLICY, "").replace("</body>", PROBE + "</body>")


def test_there_are_enough_payloads_and_they_work(server, visit):
    """The same payloads, not cut down, make requests and run: the test can see what it looks for."""
    assert len(set(MARKUP)) + len(set(MARKDOWN)) + len(set(TEX)) > 110
    for name, chosen in (
        ("/raw", [each for each in MARKUP if not ALONE.search(each)]),
        ("/body", ["<body background=URL onload=JS>"]),
        ("/over", ["<div style='position: fixed; inset: 0; z-index: 99'>over</div>"]),
    ):
        cells = "".join(f"<div>{each}</div>\n" for each in armed(chosen, server.address, name[1:]))
        frame = '<!DOCTYPE html><main><h2 style="color: #1d232b">Marker</h2><div class="jp-RenderedHTMLCommon">'
        dom = visit(name, f"{frame}{cells}</div></main>{PROBE}")
        if name != "/body":
            probe = json.loads(dom.select_one("#probe").string)
            assert probe["moved"] and (probe["asks"] if name == "/raw" else probe["hidden"])
    hits = {query for path in server.asked for query in [urlsplit(path).query] if query.startswith("raw=")}
    assert len({parse_qs(query)["raw"][0] for query in hits}) >= 30


def test_a_hostile_notebook_asks_for_nothing_and_runs_nothing(server, visit):
    html, problems = hostile_page(server.address, list(hostile_cells(server.address)))
    assert problems and html.count("<h2") > 20
    assert not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]", html)
    dom = visit("/page", without_policy(html))
    assert server.asked == []
    probe = json.loads(dom.select_one("#probe").string)
    assert probe.pop("looked") > 1000
    assert probe == {"ran": [], "moved": [], "hidden": [], "asks": [], "schemes": [], "live": []}


def test_the_policy_stops_what_a_sanitizer_might_overlook(server, visit):
    html, _ = hostile_page(server.address, [new_markdown_cell("## A heading")])
    raw = "".join(armed([each for each in MARKUP if "refresh" not in each], server.address, "html"))
    visit("/overlooked", html.replace("</main>", raw + "</main>"))
    assert server.asked == []


def test_the_index_is_inert_too(server, visit):
    (nasty,) = armed(['"><script>JS</script><img src=URL>\x00\x1b'], server.address, "index")
    entry = Entry(nasty, nasty, nasty, nasty, "FAILED", {nasty: nasty}, {nasty: nasty}, 1.0, nasty)
    html = to_index([entry, entry], nasty)
    assert "\x00" not in html and "\x1b" not in html
    dom = visit("/index", without_policy(html))
    assert server.asked == []
    assert json.loads(dom.select_one("#probe").string)["ran"] == []
