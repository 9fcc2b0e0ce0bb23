"""What every test relies on: nothing here reaches beyond this machine.

The block is an audit hook, because that sees each connection and look-up of this process however it
is made, and cannot be undone by a test. It does not hold for child processes; those run git on local
folders and the program itself, which opens no connection.
"""

from __future__ import annotations

import ipaddress
import sys

_NAME_LOOKUPS = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})
_CONNECTIONS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})


def _is_loopback(host: object) -> bool:
    if host in (None, "", b"", "localhost", b"localhost"):
        return True
    try:
        return ipaddress.ip_address(host.decode() if isinstance(host, bytes) else str(host)).is_loopback
    except ValueError:
        return False


def _refuse_other_machines(event: str, arguments: tuple[object, ...]) -> None:
    if event in _NAME_LOOKUPS:
        host = arguments[0]
    elif event in _CONNECTIONS and isinstance(arguments[1], tuple):  # not a path of a Unix socket
        host = arguments[1][0]
    else:
        return
    if not _is_loopback(host):
        raise RuntimeError(f"tests may reach loopback only, not {host!r}")


sys.addaudithook(_refuse_other_machines)
