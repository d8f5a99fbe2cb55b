"""A client of the wire: see `client`."""

from .client import Client, ClientError, ConnectionLost, Process, connect

__all__ = ["Client", "ClientError", "ConnectionLost", "Process", "connect"]
