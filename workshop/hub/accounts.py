"""Make the system's users of a room, and take them away again. Needs root."""

from __future__ import annotations

import grp
import pwd
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from workshop.hub import disks
from workshop.hub.people import Person, new_password
from workshop.hub.settings import Settings

# A service of its own: a wrong password does not keep a worker of the hub waiting, and being in
# the room's group is asked for here too, so that no other user of the system gets in.
PAM = """\
# Made by the hub of the course.
auth     required  pam_succeed_if.so quiet user ingroup {group}
auth     required  pam_unix.so nodelay
account  required  pam_succeed_if.so quiet user ingroup {group}
account  required  pam_unix.so
"""


def run(*command: str, given: str = "") -> None:
    """Run a command of the system, or say what it said.

    Raises:
        RuntimeError: it failed.
    """
    done = subprocess.run(command, input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {(done.stderr or done.stdout).strip()}")


def make_groups(settings: Settings) -> None:
    """Make the two groups of the room, and the service through which passwords are asked for."""
    for group in (settings.student_group, settings.instructor_group):
        run("groupadd", "--force", group)
    service = pam_file(settings)
    if service.parent.is_dir():
        service.write_text(PAM.format(group=settings.student_group))
    refuse_ssh(ssh_file(settings), settings)


def refuse_ssh(file: Path, settings: Settings) -> None:
    """Let SSH refuse the students: a tunnel of it needs no shell, and leads around every limit."""
    if file.parent.is_dir() and not file.exists():
        file.write_text(f"# Made by the hub of the course.\nDenyGroups {settings.student_group}\n")
        print(
            f"{file} keeps the students of the room from SSH. It holds from the next start of SSH: "
            "systemctl reload ssh",
            flush=True,
        )


def ssh_file(settings: Settings) -> Path:
    """Return the file that says whom SSH refuses."""
    return Path("/etc/ssh/sshd_config.d") / f"{settings.room}-hub.conf"


def pam_file(settings: Settings) -> Path:
    """Return the file that says how a login is checked."""
    return Path("/etc/pam.d") / f"{settings.room}-hub"


def login_of(person: Person, settings: Settings) -> str:
    """Return the name that the person types: with the prefix, so that it is no one else's."""
    return settings.prefix + person.name


def exists(login: str) -> bool:
    """Return whether the system has a user of that name."""
    try:
        pwd.getpwnam(login)
    except KeyError:
        return False
    return True


def add(
    people: Iterable[Person], settings: Settings, instructor: bool = False
) -> Iterator[tuple[Person, str, str]]:
    """Make an account for each, or give one that is there a new password; yield the sheet's rows.

    A row comes as soon as its password holds, because nobody can read it later. The disks come
    after all rows: one that fails keeps no one from an account. The files of somebody who is there
    already stay as they are.

    Raises:
        ValueError: the system has a user of that name who is not of the room, or the disk is small.
        RuntimeError: a command of the system failed.
    """
    people = list(people)
    make_groups(settings)
    logins = [login_of(person, settings) for person in people]
    refuse_strangers(logins, settings)
    disks.refuse_more_than_there_is([*logins, *members(settings)], settings)
    return rows(people, settings, instructor)


def rows(
    people: Iterable[Person], settings: Settings, instructor: bool
) -> Iterator[tuple[Person, str, str]]:
    """Yield who has an account with a new password by now, then make all their disks."""
    people = list(people)
    for person in people:
        login, password = login_of(person, settings), new_password()
        make_account_with(password, login, settings, instructor)
        yield person, login, password
    for person in people:
        disks.prepare(login_of(person, settings), settings)


def make_account_with(password: str, login: str, settings: Settings, instructor: bool) -> None:
    """Set a password, for a new account if there is none; without a password none stays."""
    new = not exists(login)
    if new:
        make_account(login, settings, instructor)
    try:
        run("chpasswd", given=f"{login}:{password}\n")
    except BaseException:
        if new:
            run("userdel", login)
        raise


def refuse_strangers(logins: Iterable[str], settings: Settings) -> None:
    """Raise before another user of the system, whom no list of the room made, gets a password."""
    inside = members(settings)
    for login in logins:
        if exists(login) and login not in inside:
            raise ValueError(
                f"{login} is a user of this machine, and not of this room: take another name"
            )


def refuse_two_kinds(logins: Iterable[str], settings: Settings, instructor: bool) -> None:
    """Raise before a student gets an instructor's rights, or an instructor a student's strip.

    Raises:
        ValueError: somebody has an account of the other kind.
    """
    inside, instructing = members(settings), instructors(settings)
    for login in logins:
        if instructor and login in inside and login not in instructing:
            raise ValueError(
                f"{login} is a student, who would get the rights of an instructor: take another "
                "name, as in make hub-instructor NAME=teacher"
            )
        if not instructor and login in instructing:
            raise ValueError(
                f"{login} is an instructor's account: give the student another name in the list. "
                "For a new password of the instructor run make hub-instructor"
            )


def make_account(login: str, settings: Settings, instructor: bool = False) -> None:
    """Make a user who can do nothing until there is a password.

    There is no shell, and SSH refuses the group. But another service of the machine that takes the
    system's passwords, for mail or for files, takes this one, too. How the person is called is not
    kept, because every other student reads the system's list of users.
    """
    groups = [settings.student_group, *([settings.instructor_group] if instructor else [])]
    run(
        "useradd", "--no-create-home", "--home-dir", str(settings.homes / login), "--shell",
        "/usr/sbin/nologin", "--user-group", "--groups", ",".join(groups), login,
    )  # fmt: skip


def members(settings: Settings) -> list[str]:
    """Return the logins of the room."""
    try:
        found = grp.getgrnam(settings.student_group).gr_mem
    except KeyError:
        return []
    return sorted(name for name in found if name.startswith(settings.prefix))


def instructors(settings: Settings) -> list[str]:
    """Return the logins of those who may stop others' servers."""
    try:
        return sorted(grp.getgrnam(settings.instructor_group).gr_mem)
    except KeyError:
        return []


def remove(login: str, settings: Settings) -> None:
    """Take an account away with its files.

    Raises:
        ValueError: the login is not of this room.
    """
    if login not in members(settings):
        raise ValueError(f"{login} is not of this room, so it stays")
    disks.remove(login, settings)
    run("userdel", login)


def remove_groups(settings: Settings) -> None:
    """Take the room's groups and its service away, once nobody is in them."""
    for group in (settings.student_group, settings.instructor_group):
        subprocess.run(["groupdel", group], capture_output=True, check=False)
    pam_file(settings).unlink(missing_ok=True)
    ssh_file(settings).unlink(missing_ok=True)
