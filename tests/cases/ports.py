"""Ports for servers that are told theirs: below those the system gives to outgoing connections, so that none
takes one between its choice and the server's start, and never the same one twice."""
import random
import socket
import threading

_numbers = random.sample(range(12000, 30000), 18000)
_lock = threading.Lock()


def free_port():
    while True:
        with _lock:
            number = _numbers.pop()
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", number))
            except OSError:
                continue
        return number
