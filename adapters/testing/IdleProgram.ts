/**
 * A program that forgets to close its client: it connects to the target in its first argument, uses what the client
 * has, does what its second argument says, and comes to its end. It prints its own lines, and no test is inside.
 */
import type { Client } from "../../core/client/Client.ts"
import * as Program from "../shared/Program.ts"
import { platform } from "./Runtime.ts"

const [target = "", wanted = "", url = ""] = process.argv.slice(2)
const client = await Program.make(platform).connect(JSON.parse(target) as Program.Target)
const print = (line: string) => process.stdout.write(`${line}\n`)

const idle = async ({ run, start, fs, http }: Client) => {
  print(`server ${(await run({ argv: ["sh", "-c", "echo $PPID"] })).stdout.trim()}`)
  const terminal = await start({ argv: ["sh", "-c", "read line; echo $line"], tty: true })
  await terminal.write("in a terminal\n")
  await terminal.closed
  await fs.readDirectory(".")
  await fs.watchMissing(["/nowhere/at/all"])
  await http.request({ url })
  for await (const _ of await http.stream({ url }));
}

const ways: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  idle,
  awaited: async ({ start }) =>
    print(`exit ${await (await start({ argv: ["sh", "-c", "sleep 1; exit 3"] })).exitCode}`),
  followed: async ({ start }) => {
    const child = await start({ argv: ["sh", "-c", "sleep 1; exit 4"] })
    process.on("exit", () => print(`read ${String(seen)}`))
    let seen: unknown
    void child.exitCode.then((code) => (seen = code))
  },
  called: async ({ call, environmentInfo }) => {
    const argv = ["sleep", "1"]
    const fixed = { envPolicy: null, env: { PATH: "/usr/bin:/bin" }, cwd: environmentInfo.cwd ?? "file:///" }
    await call("process/start", { processId: "raw", argv, tty: false, ...fixed })
    const { exited } = await call("process/read", { processId: "raw", waitMs: 60_000 })
    print(`exited ${exited}`)
  },
}

await ways[wanted]?.(client)
print("end")
