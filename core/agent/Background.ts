/**
 * The background processes of commands: those that go on when the command, or its shell, has ended, in any process
 * group or session, and with any parent.
 *
 * Every command has a variable of these tools in its environment, with its session ID as the value, and its descendants
 * inherit it. A small script on the host of the commands looks through /proc for it, so any server will do whose host
 * is Linux; elsewhere nothing is known. A process that clears or overwrites its environment, or that belongs to another
 * user, is not found. A process is signalled right after its environment was read.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { abandonable } from "../protocol/Abandon.ts"
import { concat, utf8Decoder } from "../protocol/Bytes.ts"
import { type ExecBackend, nextHexId } from "./ExecBackend.ts"

/** A process that a command has left in the background. */
export interface Left {
  /** Its process id on the host of the commands. */
  readonly pid: number
  /** Its command line. */
  readonly command: string
  /** Seconds that it has run. */
  readonly seconds: number
  /** The TCP ports that it listens on, as far as its descriptors can be read. */
  readonly ports: ReadonlyArray<number>
}

/** The processes that commands have left, by their session IDs. */
export type LeftBy = ReadonlyMap<number, ReadonlyArray<Left>>

/** The longest look, and the longest kill of what was found, in milliseconds. */
const lookMillis = 5_000

/** Ticks of a second in /proc: USER_HZ, which is 100 for programs on every architecture that has procwire's runtimes. */
const ticks = 100

/** The background processes of the commands of one set of tools. */
export const make = (backend: ExecBackend) =>
  Effect.map(Effect.zip(nextHexId, nextHexId), ([one, two]) => {
    const variable = `PROCWIRE_COMMAND_${one}${two}`
    const { platformOs } = backend.environmentInfo
    let marked = false

    const run = (value: string, grace: number | undefined): Effect.Effect<LeftBy> => {
      if (platformOs !== "linux" || !marked) return Effect.succeed(none)
      const tenths = grace === undefined ? "" : String(Math.ceil(grace / 100))
      const argv = ["/bin/sh", "-c", script, "sh", `^${variable}=${value}`, tenths]
      return printed(backend, argv).pipe(
        // A server that is gone answers no terminate either.
        abandonable,
        Effect.timeoutOption(lookMillis + (grace ?? 0)),
        Effect.map(Option.match({ onNone: () => none, onSome: (text) => parse(text, variable) })),
        // A server that cannot be asked leaves nothing known; the command itself is listed as ever.
        Effect.orElseSucceed(() => none),
      )
    }

    return {
      /** Variables for a command, by which its descendants are known. */
      mark: (id: number): Readonly<Record<string, string>> => {
        marked = true
        return { [variable]: String(id) }
      },
      /** The processes of each command, those of commands that run included; none where they are not known. */
      look: Effect.suspend(() => run("", undefined)),
      /** Ends those of one command: SIGTERM, and after the grace SIGKILL. Tells which there were. */
      stop: (id: number, graceMillis: number): Effect.Effect<ReadonlyArray<Left>> =>
        Effect.suspend(() => Effect.map(run(`${id}$`, graceMillis), (all) => all.get(id) ?? [])),
      /** Kills those of all commands. */
      kill: Effect.asVoid(Effect.suspend(() => run("", 0))),
    }
  })

const none: LeftBy = new Map()

/**
 * Tells what the processes are that have a variable that matches `$1`, a field in each line; with `$2` it ends them, in
 * so many tenths of a second. Of what is listed, `ls` and `sed` do not stop at what has ended meanwhile.
 */
const script = `marked() { grep -lzs -e "$1" /proc/[0-9]*/environ | tr -dc '0-9\\n'; }
read -r up rest </proc/uptime && echo "u $up"
for p in $(marked "$1"); do
  echo "p $p"
  tr '\\0' '\\n' </proc/$p/environ | sed -n 's/^PROCWIRE_COMMAND_/m &/p'
  sed -n '$s/^.*) /s /p' /proc/$p/stat
  tr '\\0\\n' '  ' </proc/$p/cmdline | sed 's/^/c /'; echo
  ls -l /proc/$p/fd | sed -n 's/.*socket:\\[\\([0-9]*\\)\\]$/f \\1/p'
  for t in tcp tcp6; do sed -n '/: [0-9A-F]*:[0-9A-F]* [0-9A-F]*:[0-9A-F]* 0A /s/^/t /p' /proc/$p/net/$t; done
done 2>/dev/null
[ -n "$2" ] || exit 0
n=0
while p=$(marked "$1"); [ -n "$p" ] && [ $n -lt $(($2 + 30)) ]; do
  if [ $n -ge "$2" ]; then kill -s KILL $p; elif [ $n = 0 ]; then kill -s TERM $p; kill -s CONT $p; fi 2>/dev/null
  sleep 0.1 || sleep 1
  n=$((n + 1))
done`

/** The output of a program until its end. */
const printed = ({ startSubscribed }: ExecBackend, argv: ReadonlyArray<string>) =>
  Effect.acquireUseRelease(
    Effect.interruptible(startSubscribed({ argv })),
    ({ subscription: { next } }) =>
      Effect.gen(function* () {
        const pieces: Array<Uint8Array> = []
        for (let batch = yield* next; batch !== undefined; batch = yield* next) {
          for (const event of batch) {
            if (event.kind === "output" && event.stream === "stdout") pieces.push(event.bytes)
            if (event.kind === "exited" || event.kind === "failed") return textOf(pieces)
          }
        }
        return textOf(pieces)
      }),
    ({ process, subscription }, exit) =>
      Effect.andThen(
        Effect.sync(() => subscription.close()),
        exit._tag === "Success" ? Effect.void : Effect.ignore(process.terminate),
      ),
  )

const textOf = (pieces: ReadonlyArray<Uint8Array>): string => utf8Decoder().decode(concat(pieces))

const parse = (text: string, variable: string): LeftBy => {
  const found = new Map<number, Array<Left>>()
  const [first = "", ...processes] = text.split(/^p /m)
  const uptime = Number(/^u (.*)$/m.exec(first)?.[1])
  for (const about of processes) {
    const id = Number(new RegExp(`^m ${variable}=(\\d+)$`, "m").exec(about)?.[1])
    // Of what follows the name, the start is field 20: it is field 22 of the line.
    const started = Number(fieldOf(about, "s").split(" ")[19]) / ticks
    if (Number.isNaN(id) || Number.isNaN(started)) continue
    const sockets = new Set(all(about, "f"))
    const listening = all(about, "t").map((row) => row.trim().split(/\s+/))
    const ports = listening
      .filter(([, , , , , , , , , inode = ""]) => sockets.has(inode))
      .map(([, local = ""]) => Number.parseInt(local.slice(local.lastIndexOf(":") + 1), 16))
    const left: Left = {
      pid: Number.parseInt(about, 10),
      command: fieldOf(about, "c").trim(),
      seconds: Math.max(0, uptime - started),
      ports: [...new Set(ports)].sort((one, other) => one - other),
    }
    found.set(id, [...(found.get(id) ?? []), left])
  }
  return found
}

const all = (text: string, name: string): ReadonlyArray<string> =>
  [...text.matchAll(new RegExp(`^${name} (.*)$`, "gm"))].map(([, value = ""]) => value)

const fieldOf = (text: string, name: string): string => all(text, name)[0] ?? ""
