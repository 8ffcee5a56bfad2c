"""Chromium without a network, driven through its DevTools: pages at any width, dark, printed, and what is cut off.

A page's own policy lets no script run; what DevTools evaluates runs all the same, so a page is measured as it is.
"""

import base64
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
MISSING = f"needs a browser: none of {', '.join(NAMES)} is installed"
#: How it is started: without a window, and without a network.
COMMAND = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
COMMAND += ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]

#: Widths of a laptop, a tablet and a phone, in CSS pixels.
WIDTHS = (1440, 1024, 390)
#: A4 between the margins of the pages, in CSS pixels.
PAPER = 673

MEASURE = """(() => {
  const root = document.documentElement, found = [];
  const name = e => e.tagName.toLowerCase() + '.' + (e.className.baseVal ?? e.className).toString().split(' ')[0];
  const say = (e, why, pixels) => found.push([name(e), why, Math.round(pixels), e.textContent.trim().slice(0, 40)]);
  const seen = e => e.checkVisibility({contentVisibilityAuto: true, opacityProperty: false});
  if (root.scrollWidth > root.clientWidth + 2) say(root, 'page', root.scrollWidth - root.clientWidth);
  for (const e of document.querySelectorAll('body *')) {
    if (!seen(e) || e.closest('.skip')) continue;
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    if (style.display === 'inline' || box.width === 0) continue;
    const wider = e.scrollWidth - e.clientWidth, higher = e.scrollHeight - e.clientHeight;
    if (style.overflowX !== 'visible' && e.clientWidth > 40 && wider > 2) say(e, 'scrolls', wider);
    if (!e.closest('svg svg, svg g, defs') && (box.right > root.clientWidth + 2 || box.left < -2))
      say(e, 'outside', Math.max(box.right - root.clientWidth, -box.left));
    if (PRINTED && !['visible', 'clip'].includes(style.overflowY) && e.clientHeight && higher > 2)
      say(e, 'cut below', higher);
    if (e.matches('td, th, pre, p, li, summary') && e.clientWidth && wider > 2) say(e, 'text sticks out', wider);
  }
  return found;
})()"""


class Tab:
    """One page in the browser.

    Parameters
    ----------
    socket : websocket.WebSocket
        To the page's DevTools.
    """

    def __init__(self, socket: Any) -> None:
        self._socket = socket
        self._last = 0
        self.events: list[dict[str, Any]] = []
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Ask DevTools for something and return the answer; what happens meanwhile is put into `events`."""
        self._last += 1
        self._socket.send(json.dumps({"id": self._last, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv())
            if message.get("id") == self._last:
                assert "error" not in message, message
                return message["result"]
            self.events.append(message)

    def visit(self, file: Path) -> None:
        """Load a file and wait until it is there, fonts and pictures included."""
        self.events.clear()
        self.send("Page.navigate", url=file.resolve().as_uri())
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            self.events.append(json.loads(self._socket.recv()))

    def look(self, width: int, height: int = 900, *, dark: bool = False, printed: bool = False) -> None:
        """Set the width in CSS pixels, and how the page is looked at."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", media="print" if printed else "screen", features=[scheme])

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript; promises are waited for."""
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def cut_off(self, width: int, *, dark: bool = False, printed: bool = False) -> list[list[Any]]:
        """List what is cut off, scrolls sideways or sticks out: element, how, pixels, how its text begins."""
        self.look(width, dark=dark, printed=printed)
        return self.evaluate(MEASURE.replace("PRINTED", str(printed).lower()))

    def complaints(self) -> list[str]:
        """List what went wrong since the page was asked for: errors in the console, and requests beyond the file."""
        found = []
        for event in self.events:
            what = event["params"]
            if event["method"] == "Log.entryAdded" and what["entry"]["level"] == "error":
                found.append(what["entry"]["text"])
            elif event["method"] == "Runtime.consoleAPICalled" and what["type"] in ("error", "assert"):
                found.append(str(what["args"]))
            elif event["method"] == "Runtime.exceptionThrown":
                found.append(str(what["exceptionDetails"]))
            elif event["method"] == "Network.requestWillBeSent" and what["type"] != "Document":
                found += [what["request"]["url"]] if not what["request"]["url"].startswith("data:") else []
        return found

    def screenshot(self, file: Path, *, whole: bool = False) -> None:
        """Write what is to be seen as PNG; the whole page, if wanted."""
        picture = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        file.write_bytes(base64.b64decode(picture["data"]))

    def pdf(self, file: Path) -> None:
        """Print to A4, margins as the page asks for."""
        self.send("Emulation.setEmulatedMedia", media="", features=[])
        size = {"paperWidth": 8.27, "paperHeight": 11.69}
        printed = self.send("Page.printToPDF", preferCSSPageSize=True, printBackground=True, **size)
        file.write_bytes(base64.b64decode(printed["data"]))


@contextmanager
def chromium() -> Iterator[Tab]:
    """Start a browser without a network and a profile of its own, and end it whatever happens."""
    import websocket  # of websocket-client, which comes with jupyter_server

    assert BROWSER is not None, MISSING
    with tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        options = ["--hide-scrollbars", "--remote-debugging-port=0", f"--user-data-dir={profile}"]
        unheard = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen([*COMMAND, *options, "about:blank"], **unheard)
        try:
            port = _port(Path(profile) / "DevToolsActivePort", process)
            address = _page_address(port)
            socket = websocket.create_connection(address, timeout=60, suppress_origin=True, http_no_proxy=["127.0.0.1"])
            try:
                yield Tab(socket)
            finally:
                socket.close()
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _port(file: Path, process: subprocess.Popen[bytes]) -> int:
    for _ in range(300):
        if file.is_file() and (lines := file.read_text().split()):
            return int(lines[0])
        assert process.poll() is None, f"{BROWSER} ended with {process.returncode}"
        time.sleep(0.1)
    raise TimeoutError(f"{BROWSER} did not open its DevTools within 30 s")


def _page_address(port: int) -> str:
    from urllib.request import ProxyHandler, build_opener

    opener = build_opener(ProxyHandler({}))  # the browser is on this machine, whatever proxy is set
    for _ in range(100):
        with opener.open(f"http://127.0.0.1:{port}/json", timeout=10) as answer:
            pages = [target for target in json.load(answer) if target["type"] == "page"]
        if pages:
            return pages[0]["webSocketDebuggerUrl"]
        time.sleep(0.1)
    raise TimeoutError("no page in the browser")
