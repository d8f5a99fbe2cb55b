/** `procwire cp`: files and folders between this machine and the host of a server. */
import process from "node:process"
import { dirname, join } from "node:path"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { fileURLToPath } from "node:url"
import { ClientError } from "../../../core/client/ClientError.ts"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import * as Command from "./Command.ts"
import * as Places from "./copy/Places.ts"
import * as Texts from "./show/Texts.ts"
import * as Tar from "./copy/Tar.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Access from "./server/Access.ts"
import { Unable } from "./server/Unable.ts"
import * as TargetFlags from "./TargetFlags.ts"

const { host: _, ...serverFlags } = TargetFlags.flags

/** `procwire cp`: copies. */
export const cp = Command.make({
  name: "cp",
  summary: "Copy files and folders from a host, or to one",
  usage: "[OPTIONS] HOST:PATH… PATH | PATH… HOST:PATH",
  flags: {
    recursive: Flags.toggle("folders as well, which are copied anyway", "r"),
    quiet: Flags.toggle("without the progress, which is for terminals", "q"),
    ...serverFlags,
  },
  operands: "file",
  text: `
HOST is what --host takes; without one, as in :PATH, it is the server that other commands use. A path without a slash at
its begin is below the directory of that server, ~ is the home of its user. Several are copied one after the other, into
a folder that is there. - is stdin or stdout, for one file, without its mode and time. For all else both sides need tar,
and modes and times are kept. The target appears under its name when it is whole: a file that is there is replaced, a
folder is not.`,
  examples: [
    "procwire cp build:/var/log/build.log .",
    "procwire cp ./dist build:/srv/app",
    "procwire cp :notes.txt /tmp/notes.txt",
    "procwire cp a.txt b.txt build:/srv/app",
    "pg_dump app | procwire cp - build:/srv/app.sql",
  ],
  run: ({ platform, values, operands }) =>
    Effect.gen(function* () {
      const [from = "", ...more] = operands.slice(0, -1)
      const to = operands.at(-1) ?? ""
      if (operands.length < 2) return yield* Flags.wrong("expected what is copied, and where to")
      const [source, target] = [remote.exec(from), remote.exec(to)]
      for (const each of [from, ...more])
        if ((remote.exec(each) === null) === (target === null))
          return yield* Flags.wrong(
            `${target === null ? "neither" : "each"} of '${each}' and '${to}' is on a host: ` +
              "exactly one of them is written HOST:PATH, and a path with a colon here ./PATH",
          )
      const [, host = "", path = ""] = source ?? target ?? []
      const other = more.find((each) => source !== null && remote.exec(each)?.[1] !== host)
      if (other !== undefined)
        return yield* Flags.wrong(`'${from}' and '${other}' are on two hosts: one at a time`)
      const empty = [from, ...more, to].find((each) => remote.exec(each)?.[2] === "")
      if (empty !== undefined) return yield* Flags.wrong(`invalid value '${empty}': there is no path`)
      if (more.length > 0 && operands.includes("-"))
        return yield* Flags.wrong("- is the only thing that is copied")
      const where = yield* TargetFlags.read({ ...values, ...(host && { host }) }, { own: true })
      const settled = yield* Access.settle(platform, where)
      if ("inProcess" in settled) return yield* new Unable({ message: "cp needs a server that stays" })
      const client = yield* Access.connect(settled, { clientName: "procwire-cp" })
      const there = Places.there(client, host)
      const quiet = values.quiet === true
      const far = (each: string): Side => [there, ofHome(client, each)]
      if (from === "-") return yield* upload(client, ...far(path))
      if (to === "-") return yield* told(there, path, print(client.fs.readStream(far(path)[1])))
      const aim: Side = source === null ? far(path) : [Places.here, to]
      if (more.length > 0) yield* needFolder(...aim)
      for (const each of [from, ...more])
        yield* copy(
          client,
          source === null ? [Places.here, each] : far(remote.exec(each)?.[2] ?? ""),
          aim,
          quiet,
        )
    }),
})

/** The errors of files there have the path as the user calls it. */
const told = <A, E, R>(place: Places.Place, path: string, effect: Effect.Effect<A, E | ClientError, R>) =>
  Effect.mapError(effect, (error) =>
    error instanceof ClientError
      ? new Unable({ message: `${place.label(path)}: ${error.serverMessage ?? error.message}` })
      : error,
  )

/** Copies stdin into a file, which has its name when all has come. */
const upload = (client: ExecClient.ExecClient, there: Places.Place, path: string) =>
  Effect.gen(function* () {
    if ((yield* there.look(path))?.kind === "folder")
      return yield* new Unable({ message: `${there.label(path)}: it is a folder; name the file in it` })
    const at = yield* Places.target(there, path, { kind: "file", name: "" })
    const part = join(yield* there.fresh(dirname(at)), "part")
    yield* told(there, path, client.fs.write(part, LocalTerminal.input))
    yield* there.rename(part, at)
  })

const print = (pieces: Stream.Stream<Uint8Array, ClientError>) =>
  Stream.runForEach(pieces, (bytes) => LocalTerminal.write("stdout", bytes))

const needFolder = (place: Places.Place, path: string) =>
  Effect.filterOrFail(
    place.look(path),
    (found) => found?.kind === "folder",
    () => new Unable({ message: `${place.label(path)}: several are copied into a folder that is there` }),
  )

const remote = /^([^/:]*):(.*)$/s

/** `~` is the home of the user of the server. */
const ofHome = ({ environmentInfo: { userHomeDir } }: ExecClient.ExecClient, path: string) =>
  userHomeDir == null ? path : path.replace(/^~(?=\/|$)/, () => fileURLToPath(userHomeDir))

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
const progress = (source: Texts.Copied) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const line = Texts.progressOf(source, Date.now())
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
