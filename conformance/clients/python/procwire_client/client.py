"""A client of the wire in plain asyncio: processes on another host, over connections that may be lost.

    async with await connect("unix:/run/procwire.sock") as client:
        process = await client.start(["make", "test"])
        async for stream, data in process.output():
            sys.stdout.buffer.write(data)
        print(process.exit_code)

What it guarantees: events are delivered in the order of seq, each once. What was missed (a gap, a lost connection) is
read from the server. After a loss the session is resumed, and requests that may be repeated are sent again; a write is
sent again with its writeId, so that it is written once. `types.IDEMPOTENT` says which requests those are.

What it cannot do: TLS, authentication, files, HTTP. `call` sends any request.
"""

import asyncio
import base64
import contextlib
import itertools
import json
import uuid
from typing import Any, AsyncIterator, Dict, List, Optional, Tuple, cast

from . import types

# The longest message, in bytes: the server has no longer ones.
LIMIT = 512 * 1024 * 1024
# How long a lost connection is tried to be replaced, in seconds, and how long between two tries.
RECONNECT_SECONDS = 25.0
PAUSE_SECONDS = 0.05
LONGEST_PAUSE_SECONDS = 1.0


class ClientError(Exception):
    """A call has failed. `code` is that of the server; None if the connection or the session is lost."""

    def __init__(self, message: str, code: Optional[int] = None) -> None:
        super().__init__(message)
        self.code = code


class ConnectionLost(ClientError):
    """The connection has ended before the answer came."""


# --- Transports: messages are texts without line ends -----------------------------------------------------------------


class LineTransport:
    """A message is a line: unix sockets, TCP, and the standard streams of a program."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        program: Optional[asyncio.subprocess.Process] = None,
    ) -> None:
        self._reader, self._writer, self._program = reader, writer, program

    async def send(self, text: str) -> None:
        self._writer.write(text.encode() + b"\n")
        await self._writer.drain()

    async def receive(self) -> Optional[str]:
        """The next message; None at the end of the connection."""
        try:
            line = await self._reader.readline()
        except (OSError, ValueError):
            return None
        return line.decode() if line.endswith(b"\n") else None

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()
        if self._program is not None:
            with contextlib.suppress(ProcessLookupError):
                self._program.terminate()
            await self._program.wait()


class WebSocketTransport:
    """A message is a text frame. Needs the package `websockets`."""

    def __init__(self, socket: Any) -> None:
        self._socket = socket

    async def send(self, text: str) -> None:
        try:
            await self._socket.send(text)
        except Exception as error:
            raise OSError(str(error)) from error

    async def receive(self) -> Optional[str]:
        try:
            message = await self._socket.recv()
        except Exception:
            return None
        return message if isinstance(message, str) else message.decode()

    async def close(self) -> None:
        await self._socket.close()


async def open_transport(url: str) -> Any:
    """Connects to `unix:PATH`, `tcp://HOST:PORT`, `ws://HOST:PORT`, or starts the program of `stdio:PROGRAM`."""
    if url.startswith("unix:"):
        return LineTransport(*await asyncio.open_unix_connection(url[5:], limit=LIMIT))
    if url.startswith("tcp://"):
        host, _, port = url[6:].rpartition(":")
        return LineTransport(*await asyncio.open_connection(host.strip("[]"), int(port), limit=LIMIT))
    if url.startswith("stdio:"):
        pipe = asyncio.subprocess.PIPE
        program = await asyncio.create_subprocess_exec(url[6:], stdin=pipe, stdout=pipe, limit=LIMIT)
        assert program.stdout is not None and program.stdin is not None
        return LineTransport(program.stdout, program.stdin, program)
    if url.startswith(("ws://", "wss://")):
        try:
            from websockets import connect as dial
        except ImportError:
            raise ClientError("ws:// needs the package websockets: pip install websockets") from None
        try:
            return WebSocketTransport(await dial(url, max_size=LIMIT, compression=None))
        except Exception as error:
            raise OSError(f"cannot connect to {url}: {error}") from error
    raise ClientError(f"not an address: {url}: expected ws://HOST:PORT, tcp://HOST:PORT, unix:PATH or stdio:PROGRAM")


# --- Processes --------------------------------------------------------------------------------------------------------


class Process:
    """A process on the server. `exit_code` is None until it has exited."""

    def __init__(self, client: "Client", process_id: str) -> None:
        self.id = process_id
        self.exit_code: Optional[int] = None
        self.closed = False
        self._client = client
        self._seen = 0  # the seq of what was delivered last
        self._ahead: Dict[int, Dict[str, Any]] = {}
        self._queue: "asyncio.Queue[Any]" = asyncio.Queue()
        self._filling: Optional["asyncio.Task[None]"] = None
        self._writing = asyncio.Lock()

    async def output(self) -> AsyncIterator[Tuple[str, bytes]]:
        """The output in order, until the process has exited and nothing follows. For one reader."""
        while True:
            item = await self._queue.get()
            if item is None:
                return
            if isinstance(item, Exception):
                raise item
            yield item

    async def wait(self) -> int:
        """Waits for the end, without its output. Returns the exit code."""
        async for _ in self.output():
            pass
        assert self.exit_code is not None
        return self.exit_code

    async def write(self, data: bytes) -> None:
        """Writes to stdin, once, whatever happens to the connection."""
        async with self._writing:
            for at in range(0, len(data), 65_536):
                chunk = base64.b64encode(data[at : at + 65_536]).decode()
                params = {"processId": self.id, "chunk": chunk, "writeId": str(uuid.uuid4())}
                status = (await self._client.call("process/write", params))["status"]
                if status != "accepted":
                    raise ClientError(f"the write to {self.id} was not accepted: {status}")

    async def close_stdin(self) -> None:
        """Ends stdin; does nothing if the server lacks the capability processCloseStdin."""
        if self._client.can("processCloseStdin"):
            async with self._writing:
                await self._client.call("process/closeStdin", {"processId": self.id})

    async def terminate(self) -> bool:
        """Kills the process group. True if it was running."""
        return bool((await self._client.call("process/terminate", {"processId": self.id}))["running"])

    def fail(self, error: Exception) -> None:
        """Ends the output with an error."""
        self._queue.put_nowait(error)

    def take(self, event: Dict[str, Any]) -> None:
        """Takes an event, in whatever order they come."""
        seq = event["seq"]
        if seq > self._seen:
            self._ahead.setdefault(seq, event)
        while self._seen + 1 in self._ahead:
            self._seen += 1
            self._deliver(self._ahead.pop(self._seen))
        if self._ahead:
            self.fill()

    def _deliver(self, event: Dict[str, Any]) -> None:
        if "chunk" in event:
            self._queue.put_nowait((event["stream"], base64.b64decode(event["chunk"])))
        elif "exitCode" in event:
            self.exit_code = event["exitCode"]
        elif event.get("closed"):
            self.closed = True
            self._queue.put_nowait(None)

    def fill(self) -> None:
        """Reads what was missed."""
        if self._filling is None or self._filling.done():
            self._filling = asyncio.ensure_future(self._fill())

    async def _fill(self) -> None:
        try:
            while not self.closed:
                params = {"processId": self.id, "afterSeq": self._seen}
                result = cast(types.ReadResponse, await self._client.call("process/read", params))
                self._take_read(result)
                if not result.get("more") and not self._ahead:
                    return
        except ConnectionLost:
            return  # the next connection reads again
        except ClientError as error:
            self.fail(error)

    def _take_read(self, result: types.ReadResponse) -> None:
        for chunk in result["chunks"]:
            self._ahead.setdefault(chunk["seq"], dict(chunk))
        last = result["nextSeq"] - 1
        for seq in range(self._seen + 1, last + 1):
            if seq in self._ahead:
                continue
            # What is no chunk is exited or closed, which is the last; or it is gone from the server.
            if result["closed"] and seq == last:
                self._ahead[seq] = {"seq": seq, "closed": True}
            elif result["exited"] and self.exit_code is None:
                self._ahead[seq] = {"seq": seq, "exitCode": result["exitCode"]}
            else:
                self._ahead[seq] = {"seq": seq}
        if last >= 1 and last > self._seen:
            self.take(self._ahead.pop(last))


# --- The client -------------------------------------------------------------------------------------------------------


class Client:
    """A session on a server, over one connection after the other."""

    def __init__(self, url: str, name: str, reconnect_seconds: float) -> None:
        self._url, self._name, self._reconnect_seconds = url, name, reconnect_seconds
        self._transport: Any = None
        self._ids = itertools.count(1)
        self._asked: Dict[int, "asyncio.Future[Any]"] = {}
        self._processes: Dict[str, Process] = {}
        self._ready = asyncio.Event()
        self._alive = True
        self._failure: Optional[Exception] = None
        self._loop: Optional["asyncio.Task[None]"] = None
        self.session_id: Optional[str] = None
        self.environment: Dict[str, Any] = {}

    async def __aenter__(self) -> "Client":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.close()

    def can(self, capability: str) -> bool:
        """Whether the server has a capability."""
        return self.environment.get("capabilities", {}).get(capability) is True

    async def open(self) -> None:
        """Connects and does the handshake."""
        self._transport = await open_transport(self._url)
        self._loop = asyncio.ensure_future(self._serve())
        try:
            await self._handshake()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Ends the connection; the server keeps the session for a while."""
        self._failure = self._failure or ClientError("the client is closed")
        if self._loop is not None:
            self._loop.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._loop
        if self._transport is not None:
            with contextlib.suppress(OSError):
                await self._transport.close()

    async def call(self, method: str, params: Dict[str, Any]) -> Any:
        """Sends a request and returns its result; after a loss again, if it may be repeated."""
        while True:
            await self._connected()
            try:
                return await self._ask(method, params)
            except ConnectionLost:
                if not _repeatable(method, params):
                    raise
                await asyncio.sleep(0)  # the loss is noticed elsewhere

    async def start(self, argv: List[str], **options: Any) -> Process:
        """Starts a process. Options are those of `WireExecParams`."""
        process = Process(self, options.pop("processId", None) or str(uuid.uuid4()))
        params = {
            "processId": process.id,
            "argv": argv,
            "cwd": self.environment.get("cwd") or "file:///",
            "env": {},
            "envPolicy": {
                "inherit": "core",
                "ignoreDefaultExcludes": False,
                "exclude": [],
                "set": {},
                "includeOnly": [],
            },
            "tty": False,
            **options,
        }
        self._processes[process.id] = process
        try:
            await self.call("process/start", params)
        except BaseException:
            del self._processes[process.id]
            raise
        return process

    async def _connected(self) -> None:
        if self._failure is None:
            await self._ready.wait()
        if self._failure is not None:
            raise self._failure

    async def _ask(self, method: str, params: Dict[str, Any]) -> Any:
        number = next(self._ids)
        answer: "asyncio.Future[Any]" = asyncio.get_running_loop().create_future()
        self._asked[number] = answer
        try:
            await self._transport.send(json.dumps({"id": number, "method": method, "params": params}))
        except OSError as error:
            self._asked.pop(number, None)
            raise ConnectionLost(f"{method}: {error}") from error
        return await answer

    async def _handshake(self) -> None:
        params: types.InitializeParams = {"clientName": self._name}
        if self.session_id is not None:
            params["resumeSessionId"] = self.session_id
        result = cast(types.InitializeResult, await self._ask("initialize", cast(Dict[str, Any], params)))
        self.session_id, self.environment = result["sessionId"], cast(Dict[str, Any], result["environmentInfo"])
        await self._transport.send(json.dumps({"method": "initialized"}))
        if self._alive:  # the connection may have ended meanwhile
            self._ready.set()

    async def _serve(self) -> None:
        """Takes messages, from one connection after the other."""
        while True:
            self._alive = True
            while (text := await self._transport.receive()) is not None:
                self._hear(json.loads(text))
            self._alive = False
            self._ready.clear()
            self._lose(ConnectionLost("the connection is lost"))
            try:
                await self._reconnect()
            except (OSError, ClientError) as error:
                self._failure = error if isinstance(error, ClientError) else ClientError(str(error))
                self._ready.set()
                for process in self._processes.values():
                    process.fail(self._failure)
                return

    def _lose(self, error: ClientError) -> None:
        for answer in self._asked.values():
            if not answer.done():
                answer.set_exception(error)
        self._asked.clear()

    async def _reconnect(self) -> None:
        if self.session_id is None or self._url.startswith("stdio:"):
            raise ClientError("the connection is lost")
        loop = asyncio.get_running_loop()
        end, pause = loop.time() + self._reconnect_seconds, PAUSE_SECONDS
        while True:
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
            try:
                self._transport = await open_transport(self._url)
                break
            except OSError as error:
                if loop.time() > end:
                    raise ClientError(f"the connection is lost, and was not replaced: {error}") from error
        resuming = asyncio.ensure_future(self._resume())
        resuming.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def _resume(self) -> None:
        try:
            await self._handshake()
        except ConnectionLost:
            return
        except (OSError, ClientError) as error:
            self._failure = error if isinstance(error, ClientError) else ClientError(str(error))
            self._ready.set()
            for process in self._processes.values():
                process.fail(self._failure)
            return
        for process in self._processes.values():
            if not process.closed:
                process.fill()

    def _hear(self, message: Dict[str, Any]) -> None:
        """Members and notifications that are not known are ignored."""
        method, params = message.get("method"), message.get("params") or {}
        if method is None:
            self._answer(message)
            return
        process = self._processes.get(params.get("processId", ""))
        if process is None:
            return
        if method == "process/output" or method == "process/exited":
            process.take(params)
        elif method == "process/closed":
            process.take({"seq": params["seq"], "closed": True})
        elif method == "process/mark":
            process.take({"seq": params["seq"]})

    def _answer(self, message: Dict[str, Any]) -> None:
        answer = self._asked.pop(message.get("id", -1), None)
        if answer is None or answer.done():
            return
        if "error" in message:
            error = message["error"]
            answer.set_exception(ClientError(error["message"], error["code"]))
        else:
            answer.set_result(message.get("result"))


def _repeatable(method: str, params: Dict[str, Any]) -> bool:
    idempotent = types.IDEMPOTENT.get(method, "never")
    return idempotent == "always" or (method == "process/write" and "writeId" in params)


async def connect(url: str, name: str = "procwire-python", reconnect_seconds: float = RECONNECT_SECONDS) -> Client:
    """A client of the server at an address (see `open_transport`), after the handshake."""
    client = Client(url, name, reconnect_seconds)
    await client.open()
    return client
