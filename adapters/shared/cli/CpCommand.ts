/** `procwire cp`: files and folders between this machine and the host of a server. */
import process from "node:process"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { fileURLToPath } from "node:url"
import { ClientError } from "../../../core/client/ClientError.ts"
import type * as ExecClient from "../../../core/client/ExecClient.ts"
import type { RemoteProcess } from "../../../core/client/RemoteProcess.ts"
import * as Command from "./Command.ts"
import * as Texts from "./show/Texts.ts"
import * as Flags from "./Flags.ts"
import * as LocalTerminal from "./LocalTerminal.ts"
import * as Access from "./server/Access.ts"
import { Unable, unable } from "./server/Unable.ts"
import * as TargetFlags from "./TargetFlags.ts"
import * as fs from "node:fs"
import { basename, dirname, join } from "node:path"
import type * as Scope from "effect/Scope"
import * as ErrorCode from "../../../core/protocol/ErrorCode.ts"
import * as OsError from "../host/OsError.ts"
import { spawn, type ChildProcess } from "node:child_process"
import { once } from "node:events"
import { PassThrough } from "node:stream"
import { maxWriteBytes } from "../../../core/client/Content.ts"
import * as ProcessStarter from "../../../core/client/ProcessStarter.ts"

const { host: _, ...serverFlags } = TargetFlags.flags

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
      if ("inProcess" in settled) return yield* unable("cp needs a server that stays")
      const client = yield* Access.connect(settled, { clientName: "procwire-cp" })
      const there = thereOf(client, host)
      const quiet = values.quiet === true
      const far = (each: string): Side => [there, ofHome(client, each)]
      if (from === "-") return yield* upload(client, ...far(path))
      if (to === "-") return yield* withPath(there, path, print(client.fs.readStream(far(path)[1])))
      const aim: Side = source === null ? far(path) : [here, to]
      if (more.length > 0) yield* needFolder(...aim)
      for (const each of [from, ...more])
        yield* copy(client, source === null ? [here, each] : far(remote.exec(each)?.[2] ?? ""), aim, quiet)
    }),
})

/** The errors of files there have the path as the user calls it. */
const withPath = <A, E, R>(place: Place, path: string, effect: Effect.Effect<A, E | ClientError, R>) =>
  Effect.mapError(effect, (error) =>
    error instanceof ClientError
      ? unable(`${place.label(path)}: ${error.serverMessage ?? error.message}`)
      : error,
  )

/** Copies stdin into a file, which has its name when all has come. */
const upload = (client: ExecClient.ExecClient, there: Place, path: string) =>
  Effect.gen(function* () {
    if ((yield* there.look(path))?.kind === "folder")
      return yield* unable(`${there.label(path)}: it is a folder; name the file in it`)
    const at = yield* targetOf(there, path, { kind: "file", name: "" })
    const part = join(yield* there.fresh(dirname(at)), "part")
    yield* withPath(there, path, client.fs.write(part, LocalTerminal.input))
    yield* there.rename(part, at)
  })

const print = (pieces: Stream.Stream<Uint8Array, ClientError>) =>
  Stream.runForEach(pieces, (bytes) => LocalTerminal.write("stdout", bytes))

const needFolder = (place: Place, path: string) =>
  Effect.filterOrFail(
    place.look(path),
    (found) => found?.kind === "folder",
    () => unable(`${place.label(path)}: several are copied into a folder that is there`),
  )

const remote = /^([^/:]*):(.*)$/s

/** `~` is the home of the user of the server. */
const ofHome = ({ environmentInfo: { userHomeDir } }: ExecClient.ExecClient, path: string) =>
  userHomeDir == null ? path : path.replace(/^~(?=\/|$)/, () => fileURLToPath(userHomeDir))

type Side = readonly [place: Place, path: string]

const copy = (client: ExecClient.ExecClient, from: Side, to: Side, isQuiet: boolean) =>
  Effect.gen(function* () {
    const source = yield* sourceOf(...from)
    const path = yield* targetOf(...to, source)
    const fresh = yield* to[0].fresh(dirname(path))
    const seen = isQuiet || process.stderr.isTTY !== true ? () => {} : yield* progress(source)
    const move = to[0] === here ? fetchTar : sendTar
    yield* move(client, pack(source.folder, source.entry), unpack(fresh), seen)
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

interface Found {
  readonly kind: "file" | "folder" | "other"
  readonly size: number
}

interface Place {
  /** A path as a user writes it. */
  readonly label: (path: string) => string
  /** Undefined if there is nothing. */
  readonly look: (path: string) => Effect.Effect<Found | undefined, Unable>
  /** The path without links. */
  readonly real: (path: string) => Effect.Effect<string, Unable>
  /** A new folder in one that is there, which goes with the scope. */
  readonly fresh: (folder: string) => Effect.Effect<string, Unable, Scope.Scope>
  readonly rename: (from: string, to: string) => Effect.Effect<void, Unable>
}

const prefix = ".procwire-"

const here: Place = {
  label: (path) => path,
  look: (path) =>
    attempt(path, () => {
      const found = fs.statSync(path, { throwIfNoEntry: false })
      if (found === undefined) return undefined
      return { kind: found.isFile() ? "file" : found.isDirectory() ? "folder" : "other", size: found.size }
    }),
  real: (path) => attempt(path, () => fs.realpathSync(path)),
  fresh: (folder) =>
    Effect.acquireRelease(
      attempt(folder, () => fs.mkdtempSync(join(folder, prefix))),
      (path) => Effect.sync(() => fs.rmSync(path, { recursive: true, force: true })),
    ),
  rename: (from, to) => attempt(to, () => fs.renameSync(from, to)),
}

const attempt = <A>(path: string, act: () => A): Effect.Effect<A, Unable> =>
  Effect.try({
    try: act,
    catch: (cause) => unable(`${path}: ${OsError.fromUnknown(cause).message}`),
  })

/** The host of a server, which commands call `name`. */
const thereOf = (client: ExecClient.ExecClient, name: string): Place => {
  const label = (path: string) => `${name}:${path}`
  const withLabel = (path: string) =>
    Effect.mapError(({ message, serverMessage = message }: ClientError) =>
      unable(`${label(path)}: ${serverMessage}`),
    )
  const script = (path: string, text: string, ...args: ReadonlyArray<string>) =>
    Effect.flatMap(
      withLabel(path)(client.run({ argv: ["/bin/sh", "-c", text, "sh", ...args], reject: false })),
      ({ exitCode, stderr, stdout }) =>
        exitCode === 0
          ? Effect.succeed(stdout)
          : Effect.fail(
              new Unable({ message: `${label(path)}: ${stderr.trim() || `exit code ${exitCode}`}` }),
            ),
    )
  return {
    label,
    look: (path) =>
      client.fs.stat(path).pipe(
        Effect.map(({ isDirectory, isFile, size }): Found => ({
          kind: isFile ? "file" : isDirectory ? "folder" : "other",
          size,
        })),
        Effect.catchIf(
          ({ rpcCode }) => rpcCode === ErrorCode.notFound,
          () => Effect.succeed(undefined),
        ),
        withLabel(path),
      ),
    real: (path) => withLabel(path)(client.fs.canonicalize(path)),
    fresh: (folder) =>
      Effect.acquireRelease(
        script(folder, `d=$(mktemp -d "$1/${prefix}XXXXXXXX") && printf %s "$d"`, folder),
        (path) => Effect.ignore(Effect.timeout(client.fs.remove(path), "5 seconds")),
      ),
    rename: (from, to) =>
      Effect.asVoid(
        script(to, 'mv -fT -- "$1" "$2" 2>/dev/null || { [ ! -d "$2" ] && mv -f -- "$1" "$2"; }', from, to),
      ),
  }
}

/** The folder and the name of a source, and the name that it gets in a folder. */
const sourceOf = (place: Place, path: string) =>
  Effect.gen(function* () {
    const found = yield* place.look(path)
    if (found === undefined) return yield* unable(`${place.label(path)}: there is no such file`)
    if (found.kind === "other")
      return yield* unable(`${place.label(path)}: it is no regular file and no folder`)
    const real = yield* place.real(path)
    if (real === "/") return yield* unable(`${place.label(path)}: the root is not copied`)
    const given = basename(path)
    const name = ["", ".", "..", "~"].includes(given) ? basename(real) : given
    return { ...found, folder: dirname(real), entry: basename(real), name }
  })

/** The path that something gets: in a folder that is there, or as it was given. */
const targetOf = (
  place: Place,
  path: string,
  { kind, name }: { readonly kind: string; readonly name: string },
) =>
  Effect.gen(function* () {
    const refused = (at: string, why: string) => unable(`${place.label(at)}: ${why}`)
    const found = yield* place.look(path)
    if (found === undefined && path.endsWith("/")) return yield* refused(path, "there is no such folder")
    const at = found?.kind === "folder" ? join(path, name) : path
    const old = found?.kind === "folder" ? yield* place.look(at) : found
    if (old?.kind === "folder")
      return yield* refused(at, "there is a folder already; remove it, or name another")
    if (old?.kind === "other") return yield* refused(at, "it is no regular file")
    if (old !== undefined && kind === "folder") return yield* refused(at, "it is a file, and no folder")
    // The target of a link is replaced, and the link stays.
    if (old !== undefined) return yield* place.real(at)
    return join(yield* place.real(dirname(at)), basename(at))
  })

/**
 * Bytes that are read ahead of those that are sent: four of the largest writes of the wire. A write waits for the one
 * before, so small ones would have a distant server wait most of the time.
 */
const ahead = 4 * maxWriteBytes

/** Packs the entry `name` of a folder. */
const pack = (folder: string, name: string): ReadonlyArray<string> => [
  "tar",
  "-cf",
  "-",
  "-C",
  folder,
  `./${name}`,
]

/** Unpacks into a folder, with modes and times, for the current user. */
const unpack = (folder: string): ReadonlyArray<string> => ["tar", "-xpof", "-", "-C", folder]

/**
 * One of both ends of an archive: one side packs, the other unpacks into a folder that is new. Neither side holds more
 * of it than a pipe and the window of a process do.
 */
interface Local {
  readonly child: ChildProcess
  readonly output: PassThrough
  readonly ended: Effect.Effect<void, Unable>
}

const local = (argv: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync((): Local => {
      // Through the shell, which is all that Deno's permissions let a command start.
      const child = spawn("/bin/sh", ["-c", 'exec "$@"', "sh", ...argv], {
        env: { ...process.env, LC_ALL: "C" },
        stdio: ["pipe", "pipe", "pipe"],
      })
      let said = ""
      child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text))
      child.stdin?.on("error", () => {})
      const closed = once(child, "close")
      // Node drops what a child has printed that has ended before somebody reads.
      const output = child.stdout.pipe(new PassThrough({ highWaterMark: ahead }))
      const ended = Effect.flatMap(
        Effect.promise(() => closed),
        ([code]) => verdict(Number(code ?? 255), said, "on this machine"),
      )
      return { child, output, ended }
    }),
    ({ child }) => Effect.sync(() => void child.kill("SIGKILL")),
  )

/** A file that has grown meanwhile is whole as far as it was, which tar tells by 1. */
const verdict = (code: number, said: string, where: string): Effect.Effect<void, Unable> => {
  const lines = said.split("\n").filter((line) => line.trim() !== "")
  const isGrown =
    code === 1 && lines.length > 0 && lines.every((line) => /file changed as we read it/.test(line))
  if (code === 0 || isGrown) return Effect.void
  const why = code === 127 ? "there is no tar" : (lines[0] ?? `tar has ended with ${code}`)
  return unable(`${where}: ${why}`)
}

/** From the server to this machine; `seen` gets the number of bytes of each piece. */
const fetchTar = (
  client: ExecClient.ExecClient,
  from: ReadonlyArray<string>,
  to: ReadonlyArray<string>,
  seen: (bytes: number) => void,
) =>
  Effect.gen(function* () {
    const { child, ended } = yield* local(to)
    const { process: remote, subscription } = yield* ProcessStarter.scoped(
      client.startSubscribed({ argv: from, env: { LC_ALL: "C" } }),
    )
    // An archive that is cut short looks whole to tar, so its sender is asked first.
    yield* remoteEnded(remote, subscription, (bytes) =>
      Effect.map(put(child, bytes), () => seen(bytes.length)),
    )
    child.stdin?.end()
    yield* ended
  }).pipe(Effect.scoped)

/** From this machine to the server. */
const sendTar = (
  client: ExecClient.ExecClient,
  from: ReadonlyArray<string>,
  to: ReadonlyArray<string>,
  seen: (bytes: number) => void,
) =>
  Effect.gen(function* () {
    const { child, output, ended } = yield* local(from)
    child.stdin?.end()
    const { process: remote, subscription } = yield* ProcessStarter.scoped(
      client.startSubscribed({ argv: to, pipeStdin: true, env: { LC_ALL: "C" } }),
    )
    const pieces = Stream.fromAsyncIterable(output as AsyncIterable<Uint8Array>, (cause) =>
      unable(String(cause)),
    )
    const whole = Stream.runForEach(pieces, (bytes) =>
      Effect.tap(remote.write(bytes), () => Effect.sync(() => seen(bytes.length))),
    )
    // The side that unpacks says best why it takes no more.
    const sent = yield* Effect.result(Effect.andThen(whole, ended))
    if (sent._tag === "Failure" && sent.failure instanceof Unable) return yield* sent.failure
    yield* Effect.ignore(client.call("process/closeStdin", { processId: remote.id }))
    yield* remoteEnded(remote, subscription, () => Effect.void)
    if (sent._tag === "Failure") return yield* sent.failure
  }).pipe(Effect.scoped)

/** Completes when that side of the archive has ended well; its stdout goes to `use`. */
const remoteEnded = (
  { exitCode }: RemoteProcess,
  { next }: ProcessStarter.Subscribed["subscription"],
  use: (bytes: Uint8Array) => Effect.Effect<void>,
) =>
  Effect.gen(function* () {
    let said = ""
    for (let batch = yield* next; batch !== undefined; batch = yield* next)
      for (const event of batch) {
        if (event.kind === "failed") return yield* unable(event.message)
        if (event.kind !== "output") continue
        if (event.stream === "stderr") said += new TextDecoder().decode(event.bytes)
        else yield* use(event.bytes)
      }
    return yield* verdict(yield* exitCode, said, "on the host")
  })

const put = (child: ChildProcess, bytes: Uint8Array): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const { stdin } = child
    if (stdin === null || stdin.destroyed) return resume(Effect.void)
    stdin.write(bytes, () => resume(Effect.void))
  })
