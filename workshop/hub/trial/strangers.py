"""What somebody tries who wants in, or wants what is another's. Each is refused, and logged.

Student 0 is the one whose files are wanted, student 2 the one who tries: through the hub, and from
a cell, where Python runs with a student's rights on the same machine.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import aiohttp
from yarl import URL

from workshop.hub import __main__ as commands
from workshop.hub.services import PLAIN
from workshop.hub.trial.neighbour import notebook
from workshop.hub.trial.room import Room
from workshop.hub.trial.student import RefusedError, Student, wait_for

SCRIPT = "<script>document.title = 'stolen'</script>"


async def without_login(room: Room, thief: Student) -> str:
    """Ask for a student's files without having logged in."""
    owner = room.login(0)
    async with aiohttp.ClientSession() as session:
        for path in (
            f"user/{owner}/api/contents/course",
            f"hub/api/users/{owner}",
            "hub/api/users",
        ):
            async with session.get(URL(room.settings.url) / path) as answer:
                if answer.status != 403:
                    raise RefusedError(f"{path}: {answer.status}")
        async with session.get(URL(room.settings.url) / f"user/{owner}/lab") as answer:
            if "login" not in answer.url.path:
                raise RefusedError(f"a stranger sees {answer.url.path}")
    return "403, and the page to log in"


async def wrong_passwords(room: Room, thief: Student) -> str:
    """Try twelve wrong passwords; the owner, who has the right one, is not locked out by it."""
    login = room.login(3)
    start = time.monotonic()
    for _ in range(12):
        await refused_login(Student(room.settings.url, login, "wrong"))
    if time.monotonic() - start < 3:
        raise RefusedError("the last two were not slowed down")
    async with Student(room.settings.url, login, room.passwords[login]) as owner:
        await owner.log_in()
    return "403 each time, ever later; the right one is let in"


async def not_of_the_room(room: Room, thief: Student) -> str:
    """Try users of the system that are not of the room, and names that are none."""
    for login in ("root", "daemon", f"{room.settings.room}-proxy", "", "../root", "a" * 300):
        await refused_login(Student(room.settings.url, login, "x"))
    return "403"


async def refused_login(student: Student) -> None:
    """Try to log in.

    Raises:
        AssertionError: it worked.
    """
    async with student:
        try:
            await student.log_in()
        except RefusedError as refused:
            assert ": 403" in str(refused), refused
            return
    raise AssertionError(f"{student.login} was let in")


async def anothers_address(room: Room, thief: Student) -> str:
    """Ask for another student's files, kernels and page, and for the hub's list of all."""
    owner = room.login(0)
    found = []
    for path in (f"user/{owner}/api/contents/course", f"user/{owner}/api/kernels",
                 f"user/{owner}/files/course/work.ipynb", f"user/{owner}/lab", "hub/admin",
                 "hub/api/users",
                 f"hub/api/users/{owner}/server/progress"):  # fmt: skip
        status, _ = await thief.ask("GET", thief.hub / path)
        found.append(status)
    status, _ = await thief.ask("POST", thief.hub / f"hub/api/users/{owner}/server")
    found.append(status)
    status, _ = await thief.ask("PUT", thief.hub / f"user/{owner}/api/contents/x", json={})
    found.append(status)
    if any(status not in (403, 404) for status in found):
        raise RefusedError(f"statuses {found}")
    return f"{', '.join(map(str, sorted(set(found))))}"


async def yesterdays_token(room: Room, thief: Student) -> str:
    """Use a token that has expired, and one that never was."""
    url = thief.hub / "hub/api/users" / thief.login / "tokens"
    made = await thief.want("POST", url, json={"expires_in": 2})
    header = {"Authorization": f"token {made['token']}"}
    mine = thief.hub / "hub/api/user"
    async with aiohttp.ClientSession() as session:
        async with session.get(mine, headers=header) as answer:
            assert answer.status == 200, "the token is none at all"
        await asyncio.sleep(3)
        for words in (header["Authorization"], "token " + "0" * 64):
            for place in (mine, thief.base / "api/contents"):
                async with session.get(place, headers={"Authorization": words}) as answer:
                    if answer.status != 403:
                        raise RefusedError(f"{place.path}: {answer.status}")
    return "403"


async def dots_in_a_name(room: Room, thief: Student) -> str:
    """Leave one's folder by the name of a file, written in several ways."""
    owner = room.login(0)
    found = []
    for dots in ("..", "%2e%2e", "..%2f..", "%252e%252e"):
        for service in ("api/contents", "files"):
            path = f"{thief.base}/{service}/{dots}/{owner}/course/work.ipynb"
            found.append(await thief.ask("GET", URL(path, encoded=True)))
            path = f"{thief.base}/{service}/{dots}/{dots}/{dots}/{dots}/etc/passwd"
            found.append(await thief.ask("GET", URL(path, encoded=True)))
        path = f"{thief.base}/api/contents/{dots}/{owner}/course/mine.ipynb"
        body = {"type": "notebook", "format": "json", "content": notebook("1")}
        found.append(await thief.ask("PUT", URL(path, encoded=True), json=body))
    bad = [status for status, text in found if status < 400 or "root:" in text]
    if bad or (room.home(0) / "course/mine.ipynb").exists():
        raise RefusedError(f"statuses {bad}")
    return ", ".join(map(str, sorted({status for status, _ in found})))


async def a_notebook_with_script(room: Room, thief: Student) -> str:
    """Open a notebook whose stored output is a script that someone else wrote."""
    evil = notebook("1")
    data = {"text/html": SCRIPT, "application/javascript": "document.title = 'stolen'"}
    evil["cells"][0]["outputs"] = [
        {"output_type": "display_data", "data": data, "metadata": {}},
    ]
    place = room.home(2) / "course" / "evil.ipynb"
    place.write_text(json.dumps(evil))
    place.chmod(0o644)
    found = (await thief.read("course/evil.ipynb"))["content"]["cells"][0]["metadata"]
    if found.get("trusted") is not False:
        raise RefusedError(f"the server trusts it: {found}")
    (room.home(2) / "course" / "evil.html").write_text(SCRIPT)
    (room.home(2) / "course" / "evil.html").chmod(0o644)
    for path in ("files/course/evil.html", "nbconvert/html/course/evil.ipynb"):
        async with thief.session.get(thief.base / path) as answer:
            policy = answer.headers.get("Content-Security-Policy", "")
            if answer.status == 200 and "sandbox" not in policy:
                raise RefusedError(f"{path} is shown with the policy {policy!r}")
    return "not trusted: JupyterLab leaves the script out; shown alone, the page is in a sandbox"


FROM_A_CELL = """
import ctypes, errno, glob, json, os, signal, socket, subprocess, urllib.request
done = {}
def attempt(name, what):
    try:
        done[name] = repr(what())[:80]
    except BaseException as error:
        done[name] = None
owner, home, state, run, ports = OWNER, HOME, STATE, RUN, PORTS
attempt("list of homes", lambda: os.listdir(os.path.dirname(home)))
attempt("another's home", lambda: os.listdir(home))
attempt("another's file", lambda: open(home + "/course/work.ipynb").read())
attempt("another's sockets", lambda: os.listdir(run + "/" + owner))
assert os.path.exists(run + "/servers.sock")
attempt("what forks the servers", lambda: [socket.socket(socket.AF_UNIX).connect(run +
        "/servers.sock")])
attempt("state of the hub", lambda: os.listdir(state))
attempt("passwords of the system", lambda: open("/etc/shadow").read())
attempt("disks", lambda: os.listdir(os.path.dirname(state) + "/disks"))
attempt("raw disk", lambda: open("/dev/loop0", "rb").read(1))
def others(what):
    mine, found = os.getuid(), []
    for place in glob.glob("/proc/[0-9]*"):
        try:
            if os.stat(place).st_uid != mine:
                found.append(what(place))
        except (PermissionError, FileNotFoundError, ProcessLookupError, OSError):
            pass
    if not any(found):
        raise PermissionError
    return found
attempt("another's environment", lambda: others(lambda p: open(p + "/environ").read()))
attempt("another's memory", lambda: others(lambda p: open(p + "/mem", "rb")))
attempt("a signal to another", lambda: others(lambda p: os.kill(int(p[6:]), 0) is None))
def open_for_writing():
    found = [f for f in glob.glob("/proc/[0-9]*/fd/*") if os.path.realpath(f).startswith(state)]
    if not found:
        raise PermissionError
    return found
attempt("root's log", open_for_writing)
attempt("a debugger that others could attach to", lambda: __import__("debugpy"))
attempt("root by a program", lambda: subprocess.run(["su", "-c", "id"], check=True, input=b"",
        capture_output=True))
attempt("root by its number", lambda: os.setuid(0))
attempt("a mount", lambda: subprocess.run(["mount", "-o", "remount,rw", "/tmp"], check=True,
        capture_output=True))
group = "/" + run.split("/")[-1][:-4] + "/" + os.environ["USER"]
limits = [f for root in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory")
          for f in glob.glob(root + group + "/memory.max") + glob.glob(root + group + "/memory.l*")]
doors = glob.glob("/sys/fs/cgroup/cgroup.procs") + glob.glob("/sys/fs/cgroup/memory/cgroup.procs")
assert doors
attempt("own limit raised", lambda: [open(f, "w").write("999999999999") for f in
        limits or ["/sys/fs/cgroup/no"]])
attempt("out of the group", lambda: [open(f, "w").write("0") for f in doors])
def asked(url, **headers):
    request = urllib.request.Request(url, headers=headers)
    return urllib.request.urlopen(request, timeout=30).read()
attempt("the proxy's routes", lambda: asked(f"http://127.0.0.1:{ports[1]}/api/routes"))
def listen(port):
    try:
        socket.socket().bind(("127.0.0.1", port))
    except OSError as error:
        if error.errno == errno.EACCES:
            raise
    return "not refused, so it can be had while the services start again"
for port in ports:
    attempt(f"port {port} of the services", lambda: listen(port))
attempt("the list of users", lambda: asked(os.environ["JUPYTERHUB_API_URL"] + "/users",
        Authorization="token " + os.environ["JUPYTERHUB_API_TOKEN"]))
attempt("another's server, past the proxy", lambda: asked(SERVER + "api/contents/course"))
attempt("the same with an own token", lambda: asked(SERVER + "api/contents/course",
        Authorization="token " + os.environ["JUPYTERHUB_API_TOKEN"]))
print(json.dumps({"done": [n for n in done if done[n]], "tried": len(done), "what": done}))
"""


async def from_a_cell(room: Room, thief: Student) -> str:
    """Try from a cell: others' homes, processes, sockets and servers, the limits, root."""
    port = next(iter(room.ports(0)))
    words = {
        "OWNER": repr(room.login(0)), "HOME": repr(str(room.home(0))),
        "STATE": repr(str(room.settings.state)), "RUN": repr(str(room.settings.run)),
        "PORTS": repr(room.settings.ports),
        "SERVER": repr(f"http://127.0.0.1:{port}/user/{room.login(0)}/"),
    }  # fmt: skip
    code = FROM_A_CELL
    for word, value in words.items():
        code = code.replace(word, value)
    await thief.start_kernel("course/evil.ipynb")
    said = await thief.run(code)
    found = json.loads(said.splitlines()[-1])
    if found["done"]:
        raise RefusedError(f"worked: {found['done']} {found['what']}")
    return f"{found['tried']} attempts, none worked"


async def kernels_of_others(room: Room, thief: Student) -> str:
    """Ask the fork server for kernels without end, and for one as somebody else."""
    said = await thief.run(
        "import os, socket\nuids = set()\nrefused = 0\nopened = []\n"
        "for _ in range(40):\n"
        "    s = socket.socket(socket.AF_UNIX); s.connect(os.environ['QUANTIZATION_FORK_SERVER'])\n"
        "    line = s.makefile('rb').readline()\n"
        "    if line: uids.add(os.stat(f'/proc/{int(line)}').st_uid); opened.append(s)\n"
        "    else: refused += 1\n"
        "for s in opened: s.close()\n"
        "print(uids == {os.getuid()}, refused)"
    )
    own, refused = said.split()
    if own != "True" or int(refused) < 20:
        raise RefusedError(said)
    return f"each is one's own; {refused} of 40 refused"


LOOK_AT_TAR = """
import glob, json, os, signal, time
open("x", "wb").truncate(10**12)
end, found, mine = time.monotonic() + 20, {}, open("/proc/self/cgroup").read()
while time.monotonic() < end and not found:
    for place in glob.glob("/proc/[0-9]*"):
        try:
            if os.stat(place).st_uid != os.getuid() or open(place + "/comm").read() != "tar\\n":
                continue
            os.kill(int(place[6:]), signal.SIGSTOP)
            found = {"open": [os.readlink(f"{place}/fd/{n}").split(":")[0] for n in (0, 1, 2)],
                     "terminal": open(place + "/stat").read().rpartition(")")[2].split()[4],
                     "words": sorted(open(place + "/environ").read().split("\\0")),
                     "no_new_privs": "NoNewPrivs:\\t1" in open(place + "/status").read(),
                     "group": open(place + "/cgroup").read() == mine}
            os.kill(int(place[6:]), signal.SIGCONT)
        except (FileNotFoundError, ProcessLookupError, PermissionError):
            pass
print(json.dumps(found))
"""


async def what_copies_the_files(room: Room, thief: Student) -> str:
    """Look from a cell for something of root's in what reads one's files, beside a hollow TB."""
    looking = asyncio.create_task(thief.run(LOOK_AT_TAR))
    await asyncio.sleep(2)
    with tempfile.TemporaryDirectory() as folder:
        await asyncio.to_thread(commands.collect, room.settings, Path(folder))
        size = (Path(folder) / f"{thief.login}.tar").stat().st_size
    found = json.loads(await looking)
    await thief.run("os.remove('x')")  # only now: while it is copied it has to be there
    words = {word.partition("=")[0] for word in found.pop("words", ["none was seen"])} - {""}
    held = {"open": ["/dev/null", "pipe", "pipe"], "terminal": "0", "group": True,
            "no_new_privs": True}  # fmt: skip
    if words != set(PLAIN) or found != held or size > 2 * 96 * 2**20:
        raise RefusedError(f"{found}, {words}, {size} bytes")
    return f"a pipe, and nothing of root's; {size / 2**20:.0f} MiB"


TAKEN = """
import socket, time
held = []
try:
    while True: held.append(socket.socket()); held[-1].bind(("127.0.0.5", 0))
except OSError:
    time.sleep(99)
"""


async def ports_of_all(room: Room, thief: Student) -> str:
    """Take more than half of all ports in one cell: with all, no server reaches another."""
    cell = "import subprocess, sys, time\n"
    cell += f"for _ in range(4): subprocess.Popen([sys.executable, '-c', {TAKEN!r}])\n"
    thief.patience = 60.0
    begun = time.monotonic()
    try:
        said = await thief.run(cell + "time.sleep(60)")
    except (RefusedError, TimeoutError):
        said = f"everything of the student's ended within {time.monotonic() - begun:.0f} s"

    async def ended() -> bool:
        return not room.groups.processes(thief.login)

    if not await wait_for(10, ended):
        raise RefusedError(f"it runs on: {said[:100]}")
    if not await wait_for(60, lambda: begins_anew(thief)):
        raise RefusedError("no server could be started after it")
    return said


async def begins_anew(student: Student) -> bool:
    """Return whether the student has a server and a kernel, once the hub saw the last one end."""
    await student.come_in()
    await student.start_kernel("course/evil.ipynb")
    return await student.run("print(6 * 7)") == "42\n"


Attempt = Callable[[Room, Student], Awaitable[str]]
ATTEMPTS: tuple[tuple[Attempt, str], ...] = (
    (without_login, r"403 GET /hub/api/users"),
    (wrong_passwords, r"Too many wrong passwords for '\S+s03'"),
    (not_of_the_room, r"'root' from \S+ is not of this room"),
    (anothers_address, r"s02 \d/\d running\)> not allowed to access Server at /user/\S+s00/"),
    (yesterdays_token, r"403 GET /hub/api/user "),
    (dots_in_a_name, r"40[034] (GET|PUT) /user/\S+s02/\S+"),
    (a_notebook_with_script, r"evil.ipynb is not trusted"),
    (from_a_cell, r"40[13] GET /user/\S+s00/api/contents"),
    (kernels_of_others, r"asks for too many kernels"),
    (what_copies_the_files, r"s02\.tar"),
    (ports_of_all, r"s02 took the ports of all"),
)
