"""`python3 -m procwire_client URL ARGV…`: runs ARGV on the server, and ends as it does."""

import asyncio
import contextlib
import sys
from typing import List

from .client import ClientError, Process, connect


async def feed(process: Process) -> None:
    """Writes the standard input to the process."""
    loop = asyncio.get_running_loop()
    while data := await loop.run_in_executor(None, sys.stdin.buffer.read1, 65_536):
        await process.write(data)
    await process.close_stdin()


async def run(url: str, argv: List[str]) -> int:
    """Runs the words; returns the exit code."""
    async with await connect(url) as client:
        process = await client.start(argv, pipeStdin=True)
        feeding = asyncio.ensure_future(feed(process))
        async for stream, data in process.output():
            out = sys.stderr.buffer if stream == "stderr" else sys.stdout.buffer
            out.write(data)
            out.flush()
        feeding.cancel()
        with contextlib.suppress(asyncio.CancelledError, ClientError):
            await feeding
        return process.exit_code if process.exit_code is not None else 1


def main() -> None:
    """The command."""
    if len(sys.argv) < 3:
        sys.exit("usage: python3 -m procwire_client URL ARGV...")
    try:
        code = asyncio.run(run(sys.argv[1], sys.argv[2:]))
    except (ClientError, OSError) as error:
        print(f"procwire-python: {error}", file=sys.stderr)
        code = 1
    sys.exit(code)


if __name__ == "__main__":
    main()
