/** Tests UnixSocketFile.ts with a socket of node:net. */
import { createServer } from "node:net"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Folder from "../testing/Folder.ts"
import * as UnixSocketFile from "./UnixSocketFile.ts"

it("binds in a hidden folder beside the path, since what is above it may not be writable", async () => {
  const { at, path: folder } = Folder.make()
  const server = createServer()
  let bound = ""
  const bind = (path: string) =>
    Effect.callback<void>((resume) => {
      bound = path
      server.listen(path, () => resume(Effect.void))
    })
  await Effect.runPromise(Effect.scoped(UnixSocketFile.listen(at("s"), bind)))
  server.close()
  expect(dirname(dirname(bound))).toBe(folder)
  expect(bound).toMatch(/\/\.[^/]{6}\/s$/)
})
