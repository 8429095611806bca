# SPDX-License-Identifier: BSD-2-Clause
"""A headless Chromium that is driven by WebDriver, the W3C's protocol of JSON over HTTP."""
import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of an element's id, by the protocol
KEYS = {"Enter": "\ue007", "Left": "\ue012", "Up": "\ue013", "Right": "\ue014", "Down": "\ue015", "Tab": "\ue004"}


def missing():
    """What is not installed; None: nothing."""
    for program in ("chromium", "chromedriver"):
        if not shutil.which(program):
            return f"{program} is not installed"
    return None


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Browser:
    """A window of a browser that has no network, with a profile of its own; as a context manager."""

    def __init__(self, width=1400, height=1000, dark=False):
        self.size, self.dark = (width, height), dark

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="bxs-browser")
        self.port = free_port()
        # Chromium keeps more than its profile below HOME.
        self.driver = subprocess.Popen(["chromedriver", f"--port={self.port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       env={**os.environ, "HOME": self.folder, "TMPDIR": self.folder}, start_new_session=True)
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     f"--user-data-dir={self.folder}/profile", f"--window-size={self.size[0]},{self.size[1]}",
                     "--host-resolver-rules=MAP * ~NOTFOUND"]
        if self.dark:
            arguments.append("--force-dark-mode")
        try:
            self.session = self._begin({"browserName": "chrome", "goog:chromeOptions": {"args": arguments},
                                        "goog:loggingPrefs": {"browser": "ALL"}})
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        try:
            if getattr(self, "session", None):
                self._call("DELETE", f"/session/{self.session}")
        except (OSError, RuntimeError):
            pass
        self.driver.terminate()
        self.driver.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _begin(self, wish):
        for _ in range(600):  # until the driver listens
            try:
                return self._call("POST", "/session", {"capabilities": {"alwaysMatch": wish}})["sessionId"]
            except urllib.error.URLError:
                if self.driver.poll() is not None:
                    raise
                time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def _call(self, method, path, body=None):
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(json.load(e)["value"]["message"]) from None

    def _do(self, path, body=None, method="POST"):
        return self._call(method, f"/session/{self.session}{path}", body)

    def open(self, path):
        self._do("/url", {"url": f"file://{os.path.abspath(path)}"})

    def run(self, script, *arguments):
        """What a piece of JavaScript returns."""
        return self._do("/execute/sync", {"script": script, "args": list(arguments)})

    def drawn(self, script="", *arguments):
        """Run a piece, and come back when what it changed has been drawn."""
        return self._do("/execute/async", {"script": f"const done = arguments[arguments.length - 1]; {script};\n"
                                           "requestAnimationFrame(() => requestAnimationFrame(() => done(true)));", "args": list(arguments)})

    def find(self, selector):
        return self._do("/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self._do(f"/element/{self.find(selector)}/click")
        self.drawn()

    def press(self, selector, keys):
        self._do(f"/element/{self.find(selector)}/value", {"text": keys})
        self.drawn()

    def text(self, selector):
        return self._do(f"/element/{self.find(selector)}/text", method="GET")

    def console(self):
        """What was written to the console since the last call, as texts."""
        return [entry["message"] for entry in self._do("/se/log", {"type": "browser"})]
