"""What the hub reads when it starts: `hub.toml` in the hub's own words.

Each line that guards something says what. The hub's documentation of security is the measure:
https://jupyterhub.readthedocs.io/en/stable/explanation/websecurity.html
"""

from pathlib import Path

from workshop.hub import accounts, bodies, callers, turns
from workshop.hub.settings import read

c = get_config()  # type: ignore[name-defined]
settings = read()

# --- Who is let in: the room's users with their passwords, and nobody by default.
c.JupyterHub.authenticator_class = "workshop.hub.login.RoomAuthenticator"
c.RoomAuthenticator.prefix = settings.prefix
c.PAMAuthenticator.service = f"{settings.room}-hub"
c.PAMAuthenticator.allowed_groups = {settings.student_group}
c.PAMAuthenticator.allow_all = False
c.PAMAuthenticator.create_system_users = False
c.Authenticator.auto_login = False
c.JupyterHub.allow_named_servers = False
c.JupyterHub.admin_access = False
c.JupyterHub.cookie_max_age_days = 1
# A token that a student makes. A server's own ends with the server.
c.JupyterHub.token_expires_in_max_seconds = 86400
c.JupyterHub.trusted_downstream_ips = []
callers.believe_the_proxy_alone()  # or each caller writes what address the log names

# --- Where it is reached. The proxy alone faces the network; hub and proxy speak on this machine.
c.JupyterHub.bind_url = settings.bind_url
c.JupyterHub.public_url = settings.public_url  # with https:// cookies never travel in the clear
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{settings.hub_port}"
c.JupyterHub.ssl_key = settings.ssl_key
c.JupyterHub.ssl_cert = settings.ssl_cert
c.ConfigurableHTTPProxy.should_start = False  # services.py does, so that each outlives the other
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{settings.proxy_port}"
bodies.take_short_ones()  # or strangers fill the memory before they log in

# --- What is kept, in a folder of mode 700: the database holds the hashes of tokens.
c.JupyterHub.db_url = f"sqlite:///{settings.state / 'hub.sqlite'}"
c.JupyterHub.cookie_secret_file = str(settings.state / "cookie_secret")
c.JupyterHub.cleanup_servers = False  # a hub that starts again finds the servers as they were
c.JupyterHub.last_activity_interval = 60

# --- A student's server: as that student, within limits, in the student's own files.
c.JupyterHub.spawner_class = "workshop.hub.spawner.RoomSpawner"
c.Spawner.cmd = [str(settings.python), "-P", "-m", "workshop.hub.start"]
c.Spawner.env_keep = ["LANG", "LC_ALL"]
c.Spawner.environment = {"QUANTIZATION_NOTEBOOKS": str(settings.notebooks)}
c.Spawner.default_url = "/lab/tree/course"
c.Spawner.disable_user_config = True  # a broken file of the student's cannot keep the server down
c.Spawner.start_timeout = 120 + turns.longest_wait(settings.students, turns.at_once())
c.Spawner.http_timeout = 120
c.Spawner.poll_interval = 5  # a server that was killed is seen so soon, and its page offers another
c.LocalProcessSpawner.interrupt_timeout = 5
c.LocalProcessSpawner.term_timeout = 5
c.Spawner.args = [
    # Sockets in a folder that is the student's own. On a port, each other student could listen.
    "--KernelManager.transport=ipc",
    "--ServerApp.terminals_enabled=False",
    "--ServerApp.jpserver_extensions=jupyter_lsp=False",
    "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    "--LabApp.news_url=None",
    "--FileContentsManager.use_atomic_writing=True",
]

# --- What an instructor may do besides: see who is there, start and stop servers.
c.JupyterHub.load_roles = [
    {
        "name": "room-instructor",
        "scopes": ["admin-ui", "list:users", "read:servers", "servers", "read:hub"],
        "users": accounts.instructors(settings),
    },
    {
        "name": "idle-culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle-culler"],
    },
]
c.JupyterHub.services = [
    {
        "name": "idle-culler",
        "command": [
            str(settings.python), "-P", "-m", "jupyterhub_idle_culler",
            f"--timeout={settings.idle_minutes * 60}", "--cull-every=120",
        ],
    },
    # services.py asks the hub to tell the proxy its routes again, when the proxy is new.
    {"name": "room", "api_token": (settings.state / "room_token").read_text().strip()},
]  # fmt: skip
c.JupyterHub.load_roles.append(
    {"name": "room", "scopes": ["proxy", "list:users", "read:servers"], "services": ["room"]}
)

# --- What is said. The hub logs each refusal with the name and the address.
c.JupyterHub.template_vars = {
    "announcement_login": "Log in with the name and the password of your strip of paper."
}
c.JupyterHub.tornado_settings = {"headers": {"X-Content-Type-Options": "nosniff"}}
assert Path(settings.state).stat().st_mode & 0o077 == 0, f"{settings.state} must be of mode 700"
