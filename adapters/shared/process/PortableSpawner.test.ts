/** The spawner suite on the portable spawner, PTYs of the node-pty package included, with what it cannot do here. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import { expect, test } from "vitest"
import * as Spawner from "../../../core/spawn/Spawner.ts"
import * as SpawnerSuite from "../../../conformance/spawner/SpawnerSuite.ts"
import { name } from "../../testing/Runtime.ts"
import * as TestChild from "../testing/TestChild.ts"
import * as HostSpawner from "./HostSpawner.ts"
import * as NodePty from "./NodePty.ts"

const tail = "on Node 20 and 22 the tail is lost, under load all of a short output"

/** The cases that a child on a PTY of the node-pty package cannot pass, and why. */
const ptyDifferences = {
  "spawner/output/no-byte-lost-at-exit-on-a-pty": "on Node 20 and 22 the tail of the output is lost",
  "spawner/output/of-a-descendant-arrives-on-a-pty": "the terminal is closed 200 ms after the exit",
  "spawner/exit/not-delayed-by-a-descendant-on-a-pty": "the exit is reported with the end of the terminal",
  "spawner/program/arg0-is-seen-on-a-pty": "there is no way to set it; such a start is refused",
  "spawner/program/environment-exact-on-a-pty": "PWD and TERM are always set",
  "spawner/program/descriptors-are-three": "later children inherit the masters",
  "spawner/program/descriptors-are-three-beside-ptys": "later children inherit the masters",
  "spawner/pty/input-exact-when-raw": "on Node 20 and 22 the tail of the output is lost",
  "spawner/pty/is-a-terminal": tail,
  "spawner/pty/is-the-controlling-terminal": tail,
  "spawner/pty/leads-the-foreground": tail,
  "spawner/pty/size-is-that-of-the-spec": tail,
  "spawner/pty/resize-is-seen": tail,
  "spawner/pty/ctrl-c-interrupts": tail,
  "spawner/pty/input-is-typed": tail,
  "spawner/output/every-byte-exact-on-a-pty": tail,
  "spawner/program/directory-exact-on-a-pty": tail,
  "spawner/load/200-at-once-on-ptys": tail,
  "spawner/pty/write-waits-for-the-reader": "a write to a full terminal blocks the whole program",
  "spawner/pause/stops-the-child-on-a-pty": "on Node 20 and 22 the tail of the output is lost",
  "spawner/pause/exit-is-told-on-a-pty": "the terminal is closed 200 ms after the exit",
}

const options = {
  Node: {
    known: {
      "spawner/output/reopened-by-the-child": "its pipes are socket pairs",
      "spawner/exit/real-time-signal": "Node reports such a death as exit code 0",
      "spawner/errors/program-of-no-format": "execvp gives the file to a shell",
      "spawner/errors/arguments-too-long": "a failed exec is the exit of a child on a PTY",
      "spawner/pty/terminal-closed-for-a-while": "nobody holds the slave open meanwhile",
    },
    except: Object.keys(ptyDifferences),
  },
  Bun: {
    known: {
      "spawner/output/reopened-by-the-child": "its pipes are socket pairs",
      "spawner/exit/real-time-signal": "Bun reports such a death as exit code 0",
    },
    // Bun does not report that a child has closed its stdin.
    except: ["spawner/stdin/closed-by-the-child"],
  },
  Deno: {
    known: { "spawner/errors/program-of-no-format": "execvp gives the file to a shell" },
    // Deno ends this process with an uncaught error instead of reporting such a death.
    except: ["spawner/exit/real-time-signal"],
  },
}

/** The runtime's own choice, but for libc. */
const layer = HostSpawner.layer(name === "Node" ? { nodePty: NodePty.load } : {})

test("PTYs are declared where the node-pty package works", () =>
  Effect.gen(function* () {
    const { capabilities } = yield* Spawner.Spawner
    expect([capabilities.pty, capabilities.resize]).toEqual([name === "Node", name === "Node"])
  }).pipe(Effect.provide(layer), Effect.runPromise))

test.runIf(name === "Node")("a package without a binary for this platform refuses the PTY alone", () =>
  Effect.gen(function* () {
    const spawner = yield* Spawner.Spawner
    const run = (pty: boolean) => Effect.promise(() => TestChild.run(spawner, { argv: ["true"], pty }))
    expect((yield* run(false)).status()).toEqual({ kind: "exited", code: 0 })
    const refused = yield* Effect.flip(Effect.sandbox(run(true)))
    expect(Cause.pretty(refused)).toContain("no PTY on this host: Error: no binary")
  }).pipe(
    Effect.provide(HostSpawner.layer({ nodePty: () => Promise.reject(new Error("no binary")) })),
    Effect.runPromise,
  ),
)

test.runIf(name === "Node")(
  "a child on a PTY that goes on is on a terminal, and all that it prints is read",
  () =>
    Effect.gen(function* () {
      const script =
        "for fd in 0 1 2; do test -t $fd && echo yes; done; pwd; stty size; echo mine >/dev/tty; read end"
      const spawner = yield* Spawner.Spawner
      const child = yield* Effect.promise(() =>
        TestChild.start(spawner, {
          argv: ["/bin/sh", "-c", script],
          cwd: "/usr",
          pty: { rows: 9, columns: 30 },
        }),
      )
      const wanted = "yes\r\nyes\r\nyes\r\n/usr\r\n9 30\r\nmine\r\n"
      yield* Effect.promise(() =>
        TestChild.until(
          () => child.text("pty") === wanted,
          () => child.text("pty"),
        ),
      )
      yield* child.handle.write(new TextEncoder().encode("\n"))
      expect(yield* Effect.promise(() => child.exit)).toEqual({ kind: "exited", code: 0 })
      yield* Effect.promise(() => child.close())
    }).pipe(Effect.provide(layer), Effect.runPromise),
)

test("a folder whose name is not UTF-8 cannot be entered: runtimes take text", () =>
  Effect.gen(function* () {
    const spawner = yield* Spawner.Spawner
    const spec = {
      argv: ["true"],
      cwd: "/tmp/\udcff",
      env: {},
      stdio: { kind: "pipe", stdin: false },
    } as const
    const events = { output: () => {}, end: () => {}, exit: () => {} }
    expect(yield* Effect.flip(Effect.scoped(spawner.spawn(spec, events)))).toMatchObject({
      reason: "InvalidArgument",
      message: "this spawner cannot enter `/tmp/\ufffd`: the name is not UTF-8",
    })
  }).pipe(Effect.provide(layer), Effect.runPromise))

SpawnerSuite.suite("the portable spawner", layer, options[name])
