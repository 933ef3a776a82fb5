"""The site as it is deployed: a folder for each version, and the list that a page chooses from.

    python -m site_builder.versions             print the version that this commit is
    python -m site_builder.versions --collect   put the built site into _build/pages (make pages)
    python -m site_builder.versions --deploy    push _build/pages to the branch gh-pages

Only the version at hand is built. The branch keeps the others, so an old version's page stays as it
was, whatever became of the packages that built it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from site_builder.addresses import VERSION, configured_urls, site_address

ROOT = Path(__file__).resolve().parent.parent
SITE, PAGES = ROOT / "_build" / "html", ROOT / "_build" / "pages"
BRANCH = "gh-pages"
DEVELOPED = "main"
RELEASE = re.compile(r"v\d+\.\d+\.\d+")
REDIRECT = """\
<!doctype html>
<html lang="en">
<title>Quantization, Bit by Bit</title>
<meta http-equiv="refresh" content="0; url={version}/index.html">
<a href="{version}/index.html">Quantization, Bit by Bit</a>
</html>
"""


def git(*arguments: str, folder: Path = ROOT, **variables: str) -> str:
    """Return what git prints.

    Raises:
        RuntimeError: with git's words, where it fails.
    """
    command = ["git", "-C", str(folder), *arguments]
    done = subprocess.run(
        command, env=os.environ | variables, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"`git {' '.join(arguments)}` failed: {done.stderr.strip()}")
    return done.stdout.strip()


def in_order(tags: list[str]) -> list[str]:
    """Return main, then the releases among the tags, the newest first.

    >>> in_order(["v0.9.0", "v0.10.0", "draft"])
    ['main', 'v0.10.0', 'v0.9.0']
    """
    releases = [tag for tag in tags if RELEASE.fullmatch(tag)]
    return [DEVELOPED, *sorted(releases, key=_numbers, reverse=True)]


def preferred(versions: list[str]) -> str:
    """Return the version that a visitor is led to: the newest release, or main before any.

    >>> preferred(["main"]), preferred(["main", "v0.10.0", "v0.9.0"])
    ('main', 'v0.10.0')
    """
    return versions[1] if versions[1:] else versions[0]


def switcher(site: str, versions: list[str]) -> list[dict[str, object]]:
    """Return the theme's list of versions, for a site at an address."""
    return [
        {"version": v, "url": f"{site}/{v}/", "preferred": v == preferred(versions)}
        for v in versions
    ]


def this_version(folder: Path = ROOT) -> str:
    """Return the release that the commit is tagged as, or main; or which of them is asked for.

    A tag that is pushed with its commit starts two workflows, each of which names what it is for.

    Raises:
        ValueError: what is asked for is neither main nor a release that the commit is tagged as.
    """
    versions = in_order(git("tag", "--points-at", "HEAD", folder=folder).split())
    named = os.environ.get(VERSION) or preferred(versions)
    if named not in versions:
        raise ValueError(
            f"{VERSION} is {named!r}, and this commit is {' or '.join(versions)}: unset it, or "
            "check out the commit of that release"
        )
    return named


def collect(site: Path, pages: Path, version: str, versions: list[str], address: str) -> None:
    """Put the built site under its version's name, beside the list and a way in.

    Raises:
        ValueError: there is no built site.
    """
    if not (site / "index.html").is_file():
        raise ValueError(f"{site} holds no site; run make pages, which builds it first")
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(site, pages / version)
    (pages / "switcher.json").write_text(json.dumps(switcher(address, versions), indent=2) + "\n")
    (pages / "index.html").write_text(REDIRECT.format(version=preferred(versions)))
    shutil.copy(site / "404.html", pages)  # a server looks for it beside all versions
    (pages / ".nojekyll").touch()  # else GitHub leaves out what begins with an underscore


def deploy(pages: Path, version: str, folder: Path = ROOT) -> None:
    """Push the pages to the branch: this version in place of its older self, beside the others.

    Raises:
        ValueError: nothing was collected.
        RuntimeError: git could not fetch or push.
    """
    if not (pages / version).is_dir():
        raise ValueError(f"{pages} holds no {version}; run make pages first")
    parents = _tip(folder)
    with tempfile.TemporaryDirectory() as scratch:
        index = {"GIT_INDEX_FILE": str(Path(scratch, "index"))}
        if parents:
            git("read-tree", *parents, folder=folder, **index)
            git("rm", "-r", "-q", "--cached", "--ignore-unmatch", version, folder=folder, **index)
        work_tree = ("--work-tree", str(pages))
        git(
            *work_tree,
            "add",
            "--force",
            "--ignore-removal",
            ".",
            folder=pages,
            **index | _of(folder),
        )
        tree = git("write-tree", folder=folder, **index)
    options = [word for parent in parents for word in ("-p", parent)]
    commit = git("commit-tree", tree, *options, "-m", f"Deploy {version}", folder=folder)
    git("push", "origin", f"{commit}:refs/heads/{BRANCH}", folder=folder)


def _of(folder: Path) -> dict[str, str]:
    return {"GIT_DIR": git("rev-parse", "--absolute-git-dir", folder=folder)}


def _tip(folder: Path) -> list[str]:
    """Fetch the branch and return its last commit, or nothing where there is no branch yet."""
    if not git("ls-remote", "origin", f"refs/heads/{BRANCH}", folder=folder):
        return []
    git("fetch", "-q", "origin", BRANCH, folder=folder)
    return [git("rev-parse", "FETCH_HEAD", folder=folder)]


def _numbers(tag: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", tag)]


def main() -> None:
    """Do one of the three steps."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--collect", action="store_true")
    parser.add_argument("--deploy", action="store_true")
    arguments = parser.parse_args()
    try:
        urls, version = configured_urls(), this_version()
        if "Repository" not in urls:
            raise ValueError(
                "pyproject.toml names no repository, so nobody knows where the site will be: set "
                "Repository in its table project.urls, as the comment there shows"
            )
        if arguments.collect:
            versions = in_order(git("tag").split())
            collect(SITE, PAGES, version, versions, site_address(urls))
        elif arguments.deploy:
            deploy(PAGES, version)
        else:
            print(version)
    except (ValueError, RuntimeError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
