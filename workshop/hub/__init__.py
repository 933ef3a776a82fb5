"""A JupyterHub for one machine and a room of thirty people.

`jupyterhub_config.py` puts the parts together. Each part is a module that says what it guards:

| module | what it does |
|---|---|
| `settings` | reads `hub.toml`, and refuses what would be open to strangers |
| `people`, `accounts` | a list of names, and the system's users made from it |
| `disks` | a file system of fixed size for each student |
| `limits`, `cgroups` | memory and processor for each, and what holds them |
| `ports` | ends the processes of who takes the ports of all |
| `login` | who is let in, and who is made to wait |
| `callers`, `bodies` | whose address is believed, and how much a stranger may send |
| `spawner`, `confinement` | starts a student's server as that student, inside the limits |
| `turns`, `listeners` | how many servers start at once; who listens on a server's port |
| `collected` | a copy of a student's files, taken with the student's rights |
| `notebooks`, `start` | brings the chapters, and never overwrites an edit |
| `forks` | a process that has imported much, and forks for who calls |
| `fork_server`, `forked_kernel`, `provisioner` | kernels forked from one that imported torch |
| `server_forks` | servers forked from one that imported JupyterLab |
| `install`, `services` | the environment, and the services that run |
| `alone` | lets one process alone run them |
"""
