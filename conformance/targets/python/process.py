"""A process: its descriptors, its last output, and its end."""

import asyncio
import base64
import collections
import fcntl
import os
import pty
import signal
import struct
import subprocess
import termios

from documents import Refused, native

CHUNK = 65536  # the most bytes of a read, and what a pipe holds
LOOP = asyncio.get_running_loop


def ready(fd, what):
    """Comes true once a descriptor can be read or written."""
    done = LOOP().create_future()
    add, remove = getattr(LOOP(), f"add_{what}"), getattr(LOOP(), f"remove_{what}")
    add(fd, lambda: (remove(fd), done.done() or done.set_result(None)))
    return done


class Process:
    def __init__(self, session, params, documents):
        self.documents = documents
        self.session, self.id = session, params["processId"]
        self.tty, self.piped = params["tty"], params["tty"] or params.get("pipeStdin", False)
        self.ring, self.held, self.next = collections.deque(), 0, 1
        self.code, self.closed, self.terminated, self.waiting = None, False, False, []
        self.writes, self.lock, self.input = set(), asyncio.Lock(), collections.deque()
        self.spawn(params)

    def spawn(self, params):
        argv, ends = params["argv"], []
        arg0 = argv[0] if params.get("arg0") is None else params["arg0"]
        try:
            if self.tty:
                master, slave = pty.openpty()
                fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
                ends, self.stdin, self.streams = [slave] * 3, master, {"pty": master}
            else:
                out, err, given = os.pipe(), os.pipe(), os.pipe()
                ends, self.stdin = [given[0], out[1], err[1]], given[1]
                self.streams = {"stdout": out[0], "stderr": err[0]}
            self.child = subprocess.Popen(
                [arg0, *argv[1:]],
                executable=argv[0],
                cwd=native(params["cwd"]),
                env=self.documents.environment(params, os.environ),
                stdin=ends[0],
                stdout=ends[1],
                stderr=ends[2],
                start_new_session=True,
                preexec_fn=(lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) if self.tty else None,
            )
        except (OSError, ValueError) as error:
            for fd in {self.stdin, *self.streams.values()}:
                os.close(fd)
            if isinstance(error, ValueError):
                raise Refused("nulByte" if "\0" in arg0 + "".join(argv) else "nulByteInEnv")
            raise self.documents.system_error(error.errno)
        finally:
            for fd in set(ends):
                os.close(fd)
        if not self.piped:
            os.close(self.stdin)
        self.open = set(self.streams.values()) | ({self.stdin} if self.piped else set())
        for fd in self.open:
            os.set_blocking(fd, False)
        self.pumps = [asyncio.create_task(self.pump(*one)) for one in self.streams.items()]
        self.feeder = asyncio.create_task(self.feed()) if self.piped else None
        self.watcher = asyncio.create_task(self.watch())

    def take(self, stream, fd):
        """Reads what is there. False at the end."""
        try:
            data = os.read(fd, CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        if data:
            self.ring.append((self.next, stream, data))
            self.held += len(data)
            most, chunks = (self.documents.limit(name) for name in ("retainedBytes", "retainedChunks"))
            while self.held > most or len(self.ring) > chunks:
                self.held -= len(self.ring.popleft()[2])
            self.tell("process/output", stream=stream, chunk=base64.b64encode(data).decode())
        return bool(data)

    def tell(self, method, **more):
        """Gives an event its seq, and sends it."""
        self.session.send({"method": method, "params": {"processId": self.id, "seq": self.next, **more}})
        self.next += 1
        self.wake()

    def wake(self):
        waiting, self.waiting = self.waiting, []
        for one in waiting:
            if not one.done():
                one.set_result(None)

    def changed(self):
        """Comes true with the next event, or write."""
        self.waiting.append(LOOP().create_future())
        return self.waiting[-1]

    async def pump(self, stream, fd):
        while True:
            await ready(fd, "reader")
            if not self.take(stream, fd):
                return
            await self.session.drain()

    async def feed(self):
        gone = False
        while True:
            while not self.input:
                await self.changed()
            data = self.input[0]
            while data and not gone:
                try:
                    data = data[os.write(self.stdin, data):]
                except BlockingIOError:
                    await ready(self.stdin, "writer")
                except OSError:
                    gone = True
            self.input.popleft()
            self.wake()

    async def watch(self):
        """The end: what was written before the exit is told before it, what descendants write behind it."""
        pidfd = os.pidfd_open(self.child.pid)
        await ready(pidfd, "reader")
        os.close(pidfd)
        code = self.child.wait()
        for stream, fd in self.streams.items():
            self.take(stream, fd)
        self.code = code if code >= 0 else 128 - code
        self.tell("process/exited", exitCode=self.code, sandboxDenied=False)
        pumps = asyncio.gather(*self.pumps)
        while not pumps.done() and not self.terminated:
            await asyncio.wait([pumps, self.changed()], return_when=asyncio.FIRST_COMPLETED)
        pumps.cancel()
        if self.feeder:
            self.feeder.cancel()
        for fd in self.open:
            LOOP().remove_reader(fd)
            LOOP().remove_writer(fd)
            os.close(fd)
        self.closed = True
        self.tell("process/closed")
        self.session.forget_later(self.id)

    def signal(self, number):
        if self.code is None:
            os.killpg(self.child.pid, number)

    def kill(self):
        running, self.terminated = self.code is None, True
        self.signal(signal.SIGKILL)
        self.wake()
        return running
