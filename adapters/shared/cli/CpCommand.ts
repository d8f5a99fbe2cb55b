/** `procwire cp`: files and folders between this machine and the host of a server. */
import process from "node:process"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import { fileURLToPath } from "node:url"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { Platform } from "../Platform.ts"
import * as Places from "./copy/Places.ts"
import * as Progress from "./copy/Progress.ts"
import * as Tar from "./copy/Tar.ts"
import * as Flags from "./Flags.ts"
import * as Access from "./server/Access.ts"
import * as Settle from "./server/Settle.ts"
import { Unable } from "./server/Unable.ts"
import { help, type FlagSpecs, type Spec } from "./table/Spec.ts"
import * as TargetFlags from "./TargetFlags.ts"

const command = "procwire cp"

const { host: _, ...serverFlags } = TargetFlags.flags

const flags = {
  quiet: { type: "boolean", short: "q", help: "without the progress, which is for terminals" },
  ...serverFlags,
  ...help,
} as const satisfies FlagSpecs

export const spec: Spec = {
  name: "cp",
  summary: "Copy files and folders from a host, or to one",
  usage: "[OPTIONS] HOST:PATH PATH | PATH HOST:PATH",
  flags,
  operands: "file",
  text: `
HOST is what --host takes; without one, as in :PATH, it is the server that other commands use. A path without a slash at
its begin is below the directory of that server, ~ is the home of its user. Both sides need tar. Modes and times are
kept. The target appears under its name when it is whole: a file that is there is replaced, a folder is not.`,
  examples: [
    "procwire cp build:/var/log/build.log .",
    "procwire cp ./dist build:/srv/app",
    "procwire cp :notes.txt /tmp/notes.txt",
  ],
}

/** Copies. */
export const cp = (platform: Platform, args: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { operands, values } = yield* Flags.parseAll(command, args, flags)
    const [from = "", to = "", ...more] = operands
    if (operands.length < 2) return yield* wrong("expected what is copied, and where to")
    if (more[0] !== undefined) return yield* wrong(`unexpected argument '${more[0]}'`)
    const [source, target] = [remote.exec(from), remote.exec(to)]
    if ((source === null) === (target === null))
      return yield* wrong(
        `${source === null ? "neither" : "each"} of '${from}' and '${to}' is on a host: ` +
          "exactly one of them is written HOST:PATH, and a path with a colon here ./PATH",
      )
    const [, host = "", path = ""] = source ?? target ?? []
    if (path === "") return yield* wrong(`invalid value '${source === null ? to : from}': there is no path`)
    const where = yield* TargetFlags.read(command, { ...values, ...(host && { host }) }, { own: true })
    const settled = yield* Settle.settle(platform, where)
    if ("inProcess" in settled) return yield* new Unable({ message: "cp needs a server that stays" })
    const client = yield* Access.connect(settled, { clientName: "procwire-cp" })
    const there = Places.there(client, host)
    const far = yield* ofHome(client, path)
    yield* source === null
      ? copy(client, [Places.here, from], [there, far], values.quiet === true)
      : copy(client, [there, far], [Places.here, to], values.quiet === true)
  }).pipe(Effect.scoped)

const wrong = (message: string) => new Flags.UsageError({ command, message })

const remote = /^([^/:]*):(.*)$/s

/** `~` is the home of the user of the server. */
const ofHome = ({ environmentInfo: { userHomeDir } }: ExecClient.ExecClient, path: string) =>
  Effect.succeed(userHomeDir == null ? path : path.replace(/^~(?=\/|$)/, () => fileURLToPath(userHomeDir)))

type Side = readonly [place: Places.Place, path: string]

const copy = (client: ExecClient.ExecClient, from: Side, to: Side, isQuiet: boolean) =>
  Effect.gen(function* () {
    const source = yield* Places.source(...from)
    const path = yield* Places.target(...to, source)
    const fresh = yield* to[0].fresh(dirname(path))
    const seen = isQuiet || process.stderr.isTTY !== true ? () => {} : yield* progress(source)
    const move = to[0] === Places.here ? Tar.fetch : Tar.send
    yield* move(client, Tar.pack(source.folder, source.entry), Tar.unpack(fresh), seen)
    yield* to[0].rename(join(fresh, source.entry), path)
  }).pipe(Effect.scoped)

/** A line that is written again and again: how much has come, how fast, and of a file a bar. */
const progress = (source: Progress.Source) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const line = Progress.make(source, Date.now())
      let [sum, shown] = [0, 0]
      return (bytes: number) => {
        sum += bytes
        const now = Date.now()
        if (now - shown < 100) return
        shown = now
        process.stderr.write(`\r\u001b[K${line(sum, now, process.stderr.columns)}`)
      }
    }),
    () => Effect.sync(() => void process.stderr.write("\r\u001b[K")),
  )
