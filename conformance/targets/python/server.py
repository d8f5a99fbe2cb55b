"""
A server of the wire, whose texts, types and rules are those that `procwire schema --out DIR` has written:

    python3 server.py DIR [--listen stdio|unix:PATH]
"""

import argparse
import asyncio
import base64
import binascii
import json
import os
import pathlib
import signal
import sys
import time
import uuid

from documents import Documents, Free, Refused, native, refuse_what_is_not_here
from process import Process

QUEUE, LINE = 128, 2**26  # the most writes that wait for a process, and bytes of a message
SESSIONS = {}
LOOP = asyncio.get_running_loop


class Violation(Exception):
    """What ends a connection without an answer."""


class Session:
    def __init__(self):
        self.id, self.processes, self.connection = str(uuid.uuid4()), {}, None

    def send(self, message):
        if self.connection:
            self.connection.send(message)

    async def drain(self):
        try:
            if self.connection:
                await self.connection.writer.drain()
        except ConnectionError:
            pass

    def detach(self):
        self.connection = None
        seconds = DOCUMENTS.limit("detachedSession") / 1000
        LOOP().call_later(seconds, lambda: self.connection or self.end())

    def forget_later(self, id):
        LOOP().call_later(DOCUMENTS.limit("closedProcess") / 1000, self.processes.pop, id, None)

    def end(self):
        SESSIONS.pop(self.id, None)
        for process in self.processes.values():
            process.kill()

    def start(self, p):
        refuse_what_is_not_here(p)
        native(p["cwd"])
        if p["processId"] in self.processes:
            raise Refused("processExists", processId=p["processId"])
        if not p["argv"][0]:
            raise Refused("missingProgram", kind="PTY" if p["tty"] else "pipe")
        self.processes[p["processId"]] = Process(self, p, DOCUMENTS)
        return {"processId": p["processId"], "sandboxType": "none"}

    async def read(self, p):
        process = self.processes.get(p["processId"])
        if not process:
            raise Refused("unknownProcess", processId=p["processId"])
        after, most, wait = p.get("afterSeq") or 0, p.get("maxBytes"), p.get("waitMs") or 0
        end = time.monotonic() + min(wait, 10**9) / 1000
        while process.next - 1 <= after and not process.closed and (left := end - time.monotonic()) > 0:
            await asyncio.wait([process.changed()], timeout=left)
        chunks, size = [], 0
        for seq, stream, data in process.ring:
            if seq > after:
                if most is not None and chunks and size + len(data) > most:
                    break
                size += len(data)
                chunks.append({"seq": seq, "stream": stream, "chunk": base64.b64encode(data).decode()})
        return {
            "chunks": chunks,
            "nextSeq": chunks[-1]["seq"] + 1 if chunks and most is not None else process.next,
            "exited": process.code is not None,
            "exitCode": process.code,
            "closed": process.closed,
            "failure": None,
            "sandboxDenied": False,
        }

    async def write(self, p):
        if "writeId" not in p:
            raise Refused("missingField", field="writeId")
        if not p["writeId"]:
            raise Free("writeId must not be empty")
        try:
            data = base64.b64decode(p["chunk"], validate=True)
        except binascii.Error as error:
            raise Free(f"chunk is not base64: {error}")
        process = self.processes.get(p["processId"])
        if not process or not process.piped:
            return {"status": "stdinClosed" if process else "unknownProcess"}
        async with process.lock:
            if p["writeId"] in process.writes:
                return {"status": "accepted"}
            if process.terminated:
                raise Refused("stdinGone")
            while len(process.input) >= QUEUE and process.code is None:
                await process.changed()
            process.writes.add(p["writeId"])
            process.input.append(data)
            process.wake()
        return {"status": "accepted"}

    def signal(self, p):
        if p["signal"] != "interrupt":
            raise Free(f"the signal {p['signal']} is not `interrupt`")
        if p["processId"] in self.processes:
            self.processes[p["processId"]].signal(signal.SIGINT)
        return {}

    def terminate(self, p):
        process = self.processes.get(p["processId"])
        return {"running": process is not None and process.kill()}


def envelope(message):
    """The id of a message, which notifications have not, and its method, which responses have not."""
    if not isinstance(message, dict) or not {"method", "result", "error"} & message.keys():
        raise ValueError("neither a request nor a response nor a notification")
    id, name = message.get("id"), message.get("method")
    if "method" in message and not isinstance(name, str):
        raise ValueError("the method is no text")
    is_integer = type(id) is int and -(2**63) <= id < 2**63
    if "id" in message and not isinstance(id, str) and not is_integer:
        raise ValueError("the id is neither a text nor an integer of 64 bits")
    return id, name


class Connection:
    def __init__(self, reader, writer, label):
        self.reader, self.writer, self.label, self.session, self.ready = reader, writer, label, None, False

    def send(self, message):
        if not self.writer.is_closing():
            self.writer.write(json.dumps(message).encode() + b"\n")

    async def serve(self):
        try:
            while (line := await self.reader.readline()).endswith(b"\n"):
                if line.strip(b" \t\r\n"):
                    self.message(line)
                    await asyncio.sleep(0)  # what was asked begins before the next message is looked at
        except (Violation, ConnectionError, ValueError):
            pass
        finally:
            self.writer.close()
            if self.session:
                self.session.detach()

    def message(self, line):
        try:
            message = json.loads(line, parse_constant=int)
            json.dumps(message, ensure_ascii=False).encode()  # fails for half of a surrogate pair
            id, name = envelope(message)
        except (ValueError, RecursionError) as error:
            return self.send({"id": -1, "error": Refused("malformed", label=self.label, reason=error).error})
        if name is None or id is None and (name != "initialized" or not self.session):
            raise Violation
        if id is None:
            self.ready = True
        else:
            asyncio.create_task(self.answer(id, name, message.get("params")))

    async def answer(self, id, name, params):
        try:
            if name not in METHODS:
                raise Refused("unknownMethod", method=name)
            params = DOCUMENTS.params(name, params)
            if name != "initialize" and not self.ready:
                family = DOCUMENTS.methods[name]["family"]
                raise Refused("notReady" if self.session else "notInitialized", family=family)
            result = METHODS[name](self, params)
            self.send({"id": id, "result": await result if asyncio.iscoroutine(result) else result})
        except Refused as refused:
            self.send({"id": id, "error": refused.error})

    def initialize(self, p):
        if self.session:
            raise Refused("initializedTwice")
        resume = p.get("resumeSessionId")
        session = Session() if resume is None else SESSIONS.get(resume)
        if not session:
            raise Refused("unknownSession", sessionId=resume)
        if session.connection:
            raise Refused("attached", sessionId=resume)
        SESSIONS[session.id] = session
        session.connection, self.session = self, session
        return {"sessionId": session.id, "environmentInfo": info()}


def info():
    shell = os.environ.get("SHELL", "/bin/sh")
    return {
        "shell": {"name": os.path.basename(shell), "path": shell},
        "executorVersion": "0.171.0",
        "cwd": pathlib.Path.cwd().as_uri(),
        "userHomeDir": pathlib.Path.home().as_uri(),
        "platformOs": "linux",
        "capabilities": {},
    }


METHODS = {
    "initialize": Connection.initialize,
    "environment/info": lambda *_: info(),
    "environment/status": lambda *_: {"status": "ready"},
    "process/start": lambda connection, params: connection.session.start(params),
    "process/read": lambda connection, params: connection.session.read(params),
    "process/write": lambda connection, params: connection.session.write(params),
    "process/signal": lambda connection, params: connection.session.signal(params),
    "process/terminate": lambda connection, params: connection.session.terminate(params),
}


async def main(listen):
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        LOOP().add_signal_handler(number, stop.set)
    if listen == "stdio":
        reader = asyncio.StreamReader(limit=LINE)
        await LOOP().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        ends = await LOOP().connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
        writer = asyncio.StreamWriter(*ends, None, LOOP())
        serving = asyncio.create_task(Connection(reader, writer, DOCUMENTS.labels["stdio"]).serve())
        serving.add_done_callback(lambda _: stop.set())
    else:
        label = DOCUMENTS.labels["unix"]
        serve = lambda *ends: Connection(*ends, label).serve()
        await asyncio.start_unix_server(serve, listen.removeprefix("unix:"), limit=LINE)
        print(listen, flush=True)
    await stop.wait()
    for session in list(SESSIONS.values()):
        session.end()
    os._exit(0)


parser = argparse.ArgumentParser(allow_abbrev=False)
parser.add_argument("documents", type=pathlib.Path)
parser.add_argument("--listen", default="stdio")
parser.add_argument("--concurrent-requests", type=int)
options = parser.parse_args()
DOCUMENTS = Documents(options.documents)
asyncio.run(main(options.listen))
