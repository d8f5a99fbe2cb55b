import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/testing/TestClock"
import { expect, it } from "vitest"
import { effect, settle } from "../testing/Effects.ts"
import { FileError } from "./FileError.ts"
import * as Fork from "../protocol/Fork.ts"
import { type FileInfo, type FilesService, none } from "./Files.ts"
import * as MissingWatch from "./MissingWatch.ts"

const make = (files: FilesService) =>
  Effect.gen(function* () {
    return MissingWatch.make(files, yield* Effect.scope, yield* Fork.inScope)
  })

const info: FileInfo = {
  kind: "file",
  size: 0,
  mode: 0o644,
  createdMs: 0,
  modifiedMs: 0,
  identity: "",
  version: "",
}

it(
  "ignores what a watch finds after it was replaced",
  effect(function* () {
    const there = new Set(["/a"])
    const looks: Array<() => void> = []
    const gate = Latch.makeUnsafe(true)
    const watching = yield* make({
      ...none,
      watches: true,
      info: (path) => {
        const found = Effect.suspend(() =>
          there.has(path)
            ? Effect.succeed(info)
            : Effect.fail(new FileError({ reason: "NotFound", message: path })),
        )
        return looking ? Effect.andThen(gate.await, found) : found
      },
      canonicalize: Effect.succeed,
      watch: (_, changed) => Effect.sync(() => void looks.push(() => changed(undefined))),
    })
    const fired: Array<string> = []
    const watch = (id: bigint, path: string) =>
      watching.watch({ id, missing: [path], present: undefined }, () => fired.push(path))
    let looking = false

    expect(yield* watch(1n, "/a/x")).toBe(true)
    yield* gate.close
    looking = true
    looks[0]?.()
    yield* settle
    looking = false
    expect(yield* watch(2n, "/a/y")).toBe(true)
    there.add("/a/x")
    yield* gate.open
    yield* settle
    expect(fired).toEqual([])
    there.add("/a/y")
    looks[1]?.()
    yield* settle
    expect(fired).toEqual(["/a/y"])
  }),
)

it(
  "of a present folder fires for its attributes, and not for what is in it",
  effect(function* () {
    const found = { "/": info, "/p": { ...info, kind: "directory", version: "1" } as FileInfo }
    const looks: Array<() => void> = []
    const watching = yield* make({
      ...none,
      watches: true,
      info: (path) =>
        Effect.suspend(() =>
          path === "/" || path === "/p"
            ? Effect.succeed(found[path])
            : Effect.fail(new FileError({ reason: "NotFound", message: path })),
        ),
      canonicalize: Effect.succeed,
      watch: (_, changed) => Effect.sync(() => void looks.push(() => changed(undefined))),
    })
    let fired = 0
    const request = { id: 1n, missing: ["/a"], present: "/p" }
    expect(yield* watching.watch(request, () => (fired += 1))).toBe(true)
    const look = (change: Partial<FileInfo>) => {
      found["/p"] = { ...found["/p"], ...change }
      for (const one of looks) one()
      return Effect.map(settle, () => fired)
    }
    expect(yield* look({ version: "2" })).toBe(0)
    expect(yield* look({ version: "3", mode: 0o700 })).toBe(1)
  }),
)

it(
  "looks by the clock of its caller, and no more once the connection has ended",
  effect(function* () {
    const there = new Set(["/a"])
    const looks: Array<() => void> = []
    let looked = 0
    const connection = yield* Scope.make()
    const watching = yield* Scope.provide(
      make({
        ...none,
        watches: true,
        info: (path) =>
          Effect.flatMap(Effect.sleep("1 second"), () => {
            looked += 1
            return there.has(path)
              ? Effect.succeed(info)
              : Effect.fail(new FileError({ reason: "NotFound", message: path }))
          }),
        canonicalize: Effect.succeed,
        watch: (_, changed) => Effect.sync(() => void looks.push(() => changed(undefined))),
      }),
      connection,
    )
    const fired: Array<bigint> = []
    const watch = (id: bigint, path: string) =>
      Effect.forkChild(watching.watch({ id, missing: [path], present: undefined }, () => fired.push(id)))

    yield* watch(1n, "/a/x")
    yield* TestClock.adjust("10 seconds")
    there.add("/a/x")
    looks[0]?.()
    yield* TestClock.adjust("10 seconds")
    expect(fired).toEqual([1n])

    yield* watch(2n, "/a/y")
    yield* TestClock.adjust("10 seconds")
    const before = looked
    looks[1]?.()
    yield* Scope.close(connection, Exit.void)
    yield* TestClock.adjust("10 seconds")
    expect(looked).toBe(before)
  }),
)
