import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import { copy } from "./Copying.ts"
import { type FileInfo, none, type OpenFile } from "./Files.ts"

const info: Omit<FileInfo, "mode" | "identity"> = {
  kind: "file",
  size: 2,
  createdMs: 0,
  modifiedMs: 0,
  version: "",
}

/** Copies the file `a` with the mode 640 onto `b` with the mode 777; the changes of `b`. */
const changesOf = (identities: { readonly a: string; readonly b: string }) => {
  const changes: Array<string> = []
  const file = (mode: number, identity: string): OpenFile => ({
    info: Effect.succeed({ ...info, mode, identity }),
    empty: Effect.sync(() => void changes.push("empty")),
    setMode: (mode) => Effect.sync(() => void changes.push(`mode ${mode.toString(8)}`)),
    read: () => Effect.succeed(new TextEncoder().encode("hi")),
    write: (offset, bytes) =>
      Effect.sync(() => void changes.push(`write ${offset} ${new TextDecoder().decode(bytes)}`)),
  })
  const [a, b] = [file(0o640, identities.a), file(0o777, identities.b)]
  const files = {
    ...none,
    info: () => a.info,
    open: (path: string) => Effect.succeed(path === "/a" ? a : b),
  }
  Effect.runSync(copy(files, "/a", "/b", false))
  return changes
}

it("gives a file that is overwritten the content and the mode of the source", () => {
  expect(changesOf({ a: "1", b: "2" })).toEqual(["empty", "mode 640", "write 0 hi"])
})

it("changes nothing where both paths lead to the same file", () => {
  expect(changesOf({ a: "1", b: "1" })).toEqual([])
})
