import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { ClientError } from "../../../../core/client/ClientError.ts"
import * as Usage from "./Usage.ts"

const stat = (name: string, user: number, system: number) =>
  `7 (${name}) S 1 7 7 0 -1 4194560 1 0 0 0 ${user} ${system} 0 0 20 0 1 0 5 1 1`

const files = (contents: Readonly<Record<string, string>>) => ({
  readTextFile: (path: string) =>
    path in contents
      ? Effect.succeed(contents[path] ?? "")
      : Effect.fail(new ClientError({ reason: "Server", message: "No such file or directory (os error 2)" })),
})

describe("what a process uses", () => {
  it("is that of all its descendants, whatever they are called", () => {
    const of = Usage.of(
      files({
        "/proc/7/stat": stat("a) R (b", 10, 5),
        "/proc/7/status": "Name:\ta\nVmRSS:\t    2000 kB\n",
        "/proc/7/task/7/children": "8 9 ",
        "/proc/8/stat": stat("sh", 100, 0),
        "/proc/8/status": "VmRSS:\t 24 kB\n",
      }),
      7,
    )
    expect(Effect.runSync(of)).toEqual({ cpuMillis: 1150, memory: 2024 * 1024 })
  })

  it("is not known where there is no /proc", () => {
    expect(Effect.runSync(Usage.of(files({}), 7))).toBeUndefined()
  })
})
