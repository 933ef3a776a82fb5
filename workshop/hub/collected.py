"""Copy a student's files, read by a process with the student's rights, into a file of root's.

Whoever has the student's rights may look into that process and take what it has open. So it has
nothing of root's: not the terminal, the folder or the environment that root works in, and no file.
It writes into a pipe, and root writes the file, no longer than one may be.
"""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from workshop.hub import confinement
from workshop.hub.cgroups import Groups
from workshop.hub.limits import MB, for_student, of_this_machine
from workshop.hub.services import PLAIN
from workshop.hub.settings import Settings

SECONDS = 300.0  # a student may stop what has the student's rights; root does not wait for ever
WORDS = 200  # so much is shown of what the process said


def collect(login: str, settings: Settings, archive: Path) -> str:
    """Write the student's files into ``archive``; return what was wrong, or nothing."""
    groups = Groups(settings.room)
    memory, cores = of_this_machine()
    most = settings.students, settings.memory_mb, settings.cores
    groups.make(login, for_student(memory, cores, *most))
    who = confinement.identity(login, groups.doors(login))
    # Sparse: a file of 10 TB that takes no room on the student's disk takes none on root's.
    command = ["tar", "-C", str(settings.homes / login), "--one-file-system", "--sparse",
               "--exclude=./.cache", "--exclude=./.local", "-c", "."]  # fmt: skip
    process = started(command, lambda: confinement.become(who))
    return kept(process, archive, 2 * (settings.disk_mb or 1024) * MB)


def started(command: Sequence[str], become: Callable[[], None]) -> subprocess.Popen[bytes]:
    """Start a command that has become the student, and holds nothing but three ends of pipes.

    With root's terminal, the student could take it out of this process, and type into root's shell.
    """
    return subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env=PLAIN, cwd="/", start_new_session=True, preexec_fn=become,
    )  # fmt: skip


def kept(
    process: subprocess.Popen[bytes], archive: Path, most: int, seconds: float = SECONDS
) -> str:
    """Write what the process writes into a file of ``most`` bytes; return what was wrong."""
    said, length = b"", 0
    with process, open(archive, "wb") as out:
        for block, is_word in blocks(process, time.monotonic() + seconds):
            if is_word:
                said = (said + block)[:WORDS]
            elif length + len(block) <= most:
                length += out.write(block)
            else:
                process.kill()
                return f"longer than {most // MB} MB, and the rest is in the student's folder alone"
        if not ends(process):
            return f"not done in {seconds:.0f} s"
    # As Python writes it, because a file's name may hold what a terminal obeys.
    return repr(said.decode(errors="replace")) if process.returncode else ""


def ends(process: subprocess.Popen[bytes]) -> bool:
    """Return whether the process ends by itself; if not, end it."""
    try:
        process.wait(1.0)
    except subprocess.TimeoutExpired:
        process.kill()
        return False
    return True


def blocks(process: subprocess.Popen[bytes], end: float) -> Iterator[tuple[bytes, bool]]:
    """Yield what the process writes, and whether it is a word or of the archive, until ``end``.

    A student's process that took the pipe may hold it open, so the process's own end counts too.
    """
    assert process.stdout and process.stderr
    pipes = [process.stdout, process.stderr]
    while pipes and time.monotonic() < end:
        ended = process.poll() is not None
        ready = select.select(pipes, [], [], 0.2)[0]
        if ended and not ready:
            return
        for pipe in ready:
            block = os.read(pipe.fileno(), MB)
            if block:
                yield block, pipe is process.stderr
            else:
                pipes.remove(pipe)
