/** The runtime, and its own access to the system: the C library, PTYs, processes. */
import process from "node:process"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Layer from "effect/Layer"
import { type ExitStatus, Spawner } from "../../../core/spawn/Spawner.ts"
import * as XtermTerminals from "../terminal/XtermTerminals.ts"
import * as OsError from "../host/OsError.ts"
import type * as Containment from "../process/contain/Containment.ts"
import * as PidFd from "../process/posix/PidFd.ts"
import { version } from "../Version.ts"
import { type Check, type Machine, no, procRemedy, unread, yes } from "./Check.ts"

/** The deadline of a child that does nothing. */
const LONGEST = "10 seconds"

/** The oldest version of each that procwire supports. */
const oldest = { Node: [20, 19], Bun: [1, 4], Deno: [2, 9] } as const

const allowFfi = "use Linux of 64 bits; on Deno: --allow-ffi"

const runtime: Check = {
  name: "runtime",
  remedy: "install a later version",
  look: () =>
    Effect.sync(() => {
      const { name, text } = current()
      const [major = 0, minor = 0] = text.split(".").map(Number)
      const [least, and] = oldest[name]
      const why = `${name} ${text} on ${process.platform} ${process.arch}, procwire ${version}`
      if (major > least || (major === least && minor >= and)) return yes(why)
      return no(why, `install ${name} ${least}.${and} or later`)
    }),
}

/** Bun and Deno say that they are a version of Node, too. */
const current = (): { readonly name: keyof typeof oldest; readonly text: string } => {
  const { Bun, Deno } = globalThis as {
    readonly Bun?: { readonly version: string }
    readonly Deno?: { readonly version: { readonly deno: string } }
  }
  if (Bun !== undefined) return { name: "Bun", text: Bun.version }
  if (Deno !== undefined) return { name: "Deno", text: Deno.version.deno }
  return { name: "Node", text: process.versions.node }
}

const libc: Check = {
  name: "libc",
  remedy: allowFfi,
  look: ({ native }) =>
    Effect.map(Effect.fromResult(native), ({ libc }) => {
      const ends = new Int32Array(2)
      const errno = -libc.pipe(ends)
      if (errno > 0) return no(`no pipe can be made: ${OsError.fromErrno(errno).message}`, "ulimit -n 65536")
      for (const fd of ends) libc.close(fd)
      return yes("the C library is called in this process: exact exits, real pipes")
    }),
}

const pty: Check = {
  name: "pty",
  remedy: "mount devpts: mount -t devpts devpts /dev/pts -o ptmxmode=0666",
  look: ({ native, platform }) =>
    Effect.gen(function* () {
      const spawner = Context.get(yield* Layer.build(platform.layerSpawner), Spawner)
      if (!spawner.capabilities.pty)
        return no(
          `no PTYs: ${Result.isFailure(native) ? native.failure : "/dev/ptmx cannot be opened"}`,
          allowFfi,
        )
      const exited = yield* Deferred.make<ExitStatus>()
      yield* spawner.spawn(
        {
          argv: ["/bin/sh", "-c", "test -t 0 && test -t 1 && test -t 2"],
          cwd: "/",
          env: {},
          stdio: { kind: "pty", size: { rows: 24, columns: 80 } },
        },
        {
          output: () => {},
          end: () => {},
          exit: (status) => Deferred.doneUnsafe(exited, Effect.succeed(status)),
        },
      )
      const status = yield* Deferred.await(exited)
      if (status.kind === "exited" && status.code === 0) return yes("a program has run on a PTY")
      return no("a program on a PTY has no terminal", pty.remedy)
    }).pipe(
      Effect.scoped,
      Effect.timeoutOrElse({
        duration: LONGEST,
        orElse: () => Effect.fail("a program on a PTY does not end"),
      }),
    ),
}

/** Makes the containment, and gives it back. */
const containedBy = (platform: Machine["platform"], contain: Containment.Choice, why: string) =>
  Effect.as(Effect.scoped(Layer.build(platform.toSpawner({ contain }))), yes(why))

const cgroup: Check = {
  name: "cgroup",
  remedy:
    "systemd-run --user --scope -p Delegate=yes procwire serve; in a unit: Delegate=yes; or start it as root",
  look: ({ files, platform }) =>
    files.read("/proc/self/cgroup") === ""
      ? Effect.succeed(no(unread, procRemedy))
      : containedBy(platform, "cgroup", "a cgroup was made, entered and removed: --contain cgroup works"),
}

const subreaper: Check = {
  name: "subreaper",
  remedy: allowFfi,
  look: ({ platform }) =>
    containedBy(platform, "subreaper", "orphans can be adopted: --contain subreaper works"),
}

const pidfd: Check = {
  name: "pidfd",
  remedy: allowFfi,
  look: ({ native }) =>
    Effect.map(Effect.fromResult(native), ({ ffi, libc }) => {
      const { one, group } = PidFd.probe(ffi, libc)
      if (one !== 0)
        return no(
          `pidfd_open: ${OsError.fromErrno(one).message}`,
          "install Linux 5.4 or later, and allow it in seccomp",
        )
      return yes(
        group === 0
          ? "processes and groups are signalled by descriptors"
          : "processes are signalled by descriptors, groups by their members (before Linux 6.9)",
      )
    }),
}

const installXterm = "npm install -g @xterm/headless"

const screen: Check = {
  name: "screen",
  remedy: installXterm,
  look: () =>
    Effect.sync(() =>
      XtermTerminals.isInstalled()
        ? yes("@xterm/headless is installed: procwire screen shows what terminals show")
        : no("the package @xterm/headless is not installed, or not beside procwire", installXterm),
    ),
}

export const checks: ReadonlyArray<Check> = [runtime, libc, pty, screen, cgroup, subreaper, pidfd]
