"""A headless Chromium that is asked over its DevTools protocol, as far as these tests need it.

It listens to everything a page could do wrong: errors, console messages, requests.
"""

import base64
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

from websockets.sync.client import connect

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-extensions",
    "--no-first-run",
    "--no-default-browser-check",
    "--window-size=1280,1000",
    "--remote-debugging-port=0",
)
STARTING = 60
ANSWERING = 60


def executable() -> str | None:
    """The browser, or None where there is none."""
    found = (shutil.which(name) for name in (os.environ.get("WAKEFUL_CHROMIUM", ""), *NAMES))
    return next((each for each in found if each), None)


class Page:
    """A page in the browser.

    Attributes:
        errors: Exceptions that were not caught, and errors and warnings on the console.
        path: The file that was opened.
        requests: The addresses of everything that was asked for.
    """

    def __init__(self, socket) -> None:
        self._socket = socket
        self._numbers = count(1)
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.path = Path()

    def send(self, method: str, **parameters):
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            message = json.loads(self._socket.recv(timeout=ANSWERING))
            if message.get("id") == number:
                assert "error" not in message, message["error"]
                return message["result"]
            self._note(message)

    def _note(self, message: dict) -> None:
        told = message.get("params", {})
        match message.get("method"):
            case "Runtime.exceptionThrown":
                self.errors.append(json.dumps(told["exceptionDetails"])[:2_000])
            case "Runtime.consoleAPICalled" if told["type"] in {"error", "warning", "assert"}:
                self.errors.append(json.dumps(told["args"])[:2_000])
            case "Log.entryAdded" if told["entry"]["level"] in {"error", "warning"}:
                self.errors.append(json.dumps(told["entry"])[:2_000])
            case "Network.requestWillBeSent":
                self.requests.append(told["request"]["url"])
            case _:
                pass

    def open(self, path: Path) -> "Page":
        """Open a file, and wait until it is drawn."""
        self.path = path
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")
        self.send("Page.navigate", url=path.as_uri())
        self.until("document.readyState === 'complete' && !!document.querySelector('#lanes .xy')")
        self.settle()
        return self

    def until(self, condition: str) -> None:
        """Wait until a condition of the page holds."""
        end = time.monotonic() + ANSWERING
        while not self.ask(f"!!({condition})"):
            assert time.monotonic() < end, (condition, self.errors)
            time.sleep(0.05)

    def ask(self, expression: str):
        """The value of an expression in the page."""
        result = self.send(
            "Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True
        )
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def settle(self) -> None:
        """Let the page draw what was asked of it."""
        self.ask(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame("
            "() => setTimeout(done, 0))))"
        )

    def click(self, x: float, y: float) -> None:
        """Move the mouse to a place in the window and click."""
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        time.sleep(0.1)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)
        self.settle()

    def press(self, key: str, code: str | None = None) -> None:
        text = {"text": key} if len(key) == 1 else {}
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, code=code or key, **text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key, code=code or key)
        self.settle()

    def screenshot(self, path: Path) -> None:
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browser(profile: Path) -> Iterator[str]:
    """A browser with a fresh profile; gives the address to open tabs at."""
    process = subprocess.Popen(
        [executable(), *FLAGS, f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        told = profile / "DevToolsActivePort"
        end = time.monotonic() + STARTING
        while not (told.exists() and len(told.read_text().splitlines()) == 2):
            assert process.poll() is None, f"the browser ended with {process.returncode}"
            assert time.monotonic() < end, "the browser does not start"
            time.sleep(0.05)
        port, path = told.read_text().splitlines()
        yield f"ws://127.0.0.1:{port}{path}"
    finally:
        process.terminate()
        process.wait(timeout=STARTING)


@contextmanager
def tab(address: str) -> Iterator[Page]:
    """A tab of its own."""
    with connect(address, max_size=None, proxy=None) as control:
        target = Page(control).send("Target.createTarget", url="about:blank")["targetId"]
    base = address.split("/devtools/", maxsplit=1)[0]
    with connect(f"{base}/devtools/page/{target}", max_size=None, proxy=None) as socket:
        page = Page(socket)
        yield page
        page.send("Page.close")
