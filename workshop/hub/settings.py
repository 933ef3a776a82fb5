"""Read `hub.toml`: where the hub lies, who reaches it, and what each student gets."""

from __future__ import annotations

import dataclasses
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path("/opt/quantization-hub")
LOOPBACK = ("127.0.0.1", "::1")

TEMPLATE = """\
# The hub of the course. What is commented out shows what holds without it.

# address = "127.0.0.1"  # who may ask: this machine alone. A room needs "0.0.0.0", and TLS:
# ssl_key = "/etc/ssl/private/hub.key"
# ssl_cert = "/etc/ssl/certs/hub.pem"
# port = 880             # with TLS 443, which nobody types; below 1024, where no student listens
# public_url = ""        # what students type: "https://hub.school.example", with the port if any.
#                        # With "0.0.0.0" it has to be said, because it stands on each strip

# students = 30          # memory and processors are divided for so many
# memory_mb = 0          # for each student; 0 computes it from the machine
# cores = 0.0            # the most that one student uses at once; 0 computes it
# disk_mb = 1024         # each student's files, a disk of its own; 0: no limit
# idle_minutes = 60      # a server that nobody used for so long is ended; its files stay
# forked_kernels = true  # kernels ready in a second, from a process that has imported torch
# forked_servers = true  # and servers, from one that has imported JupyterLab
"""


@dataclass(frozen=True)
class Settings:
    """What `hub.toml` says, with what holds where it is silent."""

    folder: Path = FOLDER
    environment: str = ""
    prefix: str = "qbb-"
    address: str = "127.0.0.1"
    port: int = 880
    hub_port: int = 881
    proxy_port: int = 801
    public_url: str = ""
    ssl_key: str = ""
    ssl_cert: str = ""
    passwords_in_the_clear: bool = False
    students: int = 30
    memory_mb: int = 0
    cores: float = 0.0
    disk_mb: int = 1024
    idle_minutes: int = 60
    forked_kernels: bool = True
    forked_servers: bool = True

    @property
    def venv(self) -> Path:
        """Return the environment that the hub and the students' servers run in."""
        return Path(self.environment) if self.environment else self.folder / "venv"

    @property
    def python(self) -> Path:
        """Return the Python of that environment."""
        return self.venv / "bin" / "python"

    @property
    def room(self) -> str:
        """Return the name of the room: of its groups, its folder in /run, and its control group."""
        return self.prefix.rstrip("-")

    @property
    def state(self) -> Path:
        """Return the folder of mode 700 that holds the database, the secrets and the log."""
        return self.folder / "state"

    @property
    def homes(self) -> Path:
        """Return the folder of the students' files."""
        return self.folder / "homes"

    @property
    def disks(self) -> Path:
        """Return the folder of mode 700 that holds one file system for each student."""
        return self.folder / "disks"

    @property
    def notebooks(self) -> Path:
        """Return the folder of the chapters that each student gets a copy of."""
        return self.folder / "notebooks"

    @property
    def run(self) -> Path:
        """Return the folder of sockets, which the machine forgets when it restarts."""
        return Path("/run") / f"{self.room}-hub"

    @property
    def fork_socket(self) -> Path:
        """Return where the fork server listens."""
        return self.run / "kernels.sock"

    @property
    def servers_socket(self) -> Path:
        """Return where the hub asks for a student's server."""
        return self.run / "servers.sock"

    @property
    def student_group(self) -> str:
        """Return the system's group of those who may log in."""
        return f"{self.prefix}students"

    @property
    def instructor_group(self) -> str:
        """Return the system's group of those who may stop others' servers."""
        return f"{self.prefix}instructors"

    @property
    def ports(self) -> tuple[int, int, int]:
        """Return where the services listen: the proxy, the proxy's commands, the hub."""
        return self.port, self.proxy_port, self.hub_port

    @property
    def bind_url(self) -> str:
        """Return where the proxy listens, in the hub's words."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"{'https' if self.ssl_key else 'http'}://{host}:{self.port}"

    @property
    def local_url(self) -> str:
        """Return the address to type on this machine: as a number, because a name may be two."""
        return self.bind_url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")

    @property
    def url(self) -> str:
        """Return the address that students type."""
        return self.public_url.rstrip("/") or self.local_url


def read(folder: Path | None = None) -> Settings:
    """Read the settings of the hub in ``folder``, by default the one that `HUB_FOLDER` names.

    Raises:
        ValueError: a word is unknown, a value is of the wrong kind, or the hub would be open.
    """
    folder = folder or Path(os.environ.get("HUB_FOLDER") or FOLDER)
    file = folder / "hub.toml"
    try:
        found = tomllib.loads(file.read_text()) if file.exists() else {}
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file} is not TOML: {error}") from None
    settings = Settings(folder=folder, **checked(found, file))
    refuse_what_is_open(settings, file)
    return settings


def checked(found: dict[str, object], file: Path) -> dict:
    """Return the values, or say which is unknown or of the wrong kind."""
    fields = {field.name: field for field in dataclasses.fields(Settings)}
    for name, value in found.items():
        if name not in fields or name == "folder":
            raise ValueError(
                f"{file} sets {name}, which is no setting: see workshop/hub/settings.py"
            )
        wanted = type(fields[name].default)
        if type(value) is not wanted and not (wanted is float and type(value) is int):
            raise ValueError(f"{file}: {name} = {value!r} must be of type {wanted.__name__}")
    return found


def refuse_what_is_open(settings: Settings, file: Path) -> None:
    """Raise if passwords would cross a network in the clear, or a name could clash."""
    if bool(settings.ssl_key) != bool(settings.ssl_cert):
        raise ValueError(f"{file}: ssl_key and ssl_cert belong together, and one is missing")
    if (
        settings.address == "localhost"
    ):  # which is ::1 too, where a student may be the one to listen
        raise ValueError(f'{file}: localhost may be two addresses: set address = "127.0.0.1"')
    if settings.public_url and not settings.public_url.startswith(("https://", "http://")):
        raise ValueError(f"{file}: public_url = {settings.public_url!r} must begin with https://")
    private = settings.address in LOOPBACK or settings.ssl_key or settings.passwords_in_the_clear
    if not private:
        raise ValueError(
            f"{file}: address = {settings.address!r} without TLS: whoever shares the network reads "
            "each password. Set ssl_key and ssl_cert, or put a server with TLS before the hub and "
            "leave the address at 127.0.0.1. If the network is a cable between two machines, "
            "passwords_in_the_clear = true says that you know."
        )
    if settings.address in ("0.0.0.0", "::") and not settings.public_url:
        raise ValueError(
            f'{file}: set public_url to the address that people type, such as "https://192.0.2.7": '
            "it stands on each strip of the sheet"
        )
    # The hub makes each login that is typed lowercase, and useradd takes 32 letters of ASCII.
    if not re.fullmatch(r"[a-z]{1,10}-", settings.prefix):
        raise ValueError(
            f"{file}: prefix = {settings.prefix!r} must be one to ten letters, a to z without "
            'capitals, and then a hyphen, as in "qbb-"'
        )
    if min(settings.students, settings.idle_minutes) < 1:
        raise ValueError(f"{file}: students and idle_minutes are at least 1")
    if min(settings.disk_mb, settings.memory_mb, settings.cores) < 0:
        raise ValueError(f"{file}: disk_mb, memory_mb and cores are at least 0")
