import * as Result from "effect/Result"
import { expect, it } from "vitest"
import { decode } from "../shape/index.ts"
import { defaultOutputBytesCap, ExecParams, v0 } from "./v0.ts"

const exec = { processId: "p", argv: ["x"], cwd: "/", env: {}, tty: false }

it.each([
  [{ outputBytesCap: 7 }, 7],
  [{}, defaultOutputBytesCap],
])("with %j retains %i bytes of output", (more, retainedBytes) => {
  const served = v0.routes["command/exec"]?.served
  if (served?.kind !== "operation") throw new Error("command/exec is an operation")
  const params = served.toParams?.(Result.getOrThrow(decode(ExecParams, { ...exec, ...more })))
  expect(params).toEqual({
    ...exec,
    pid: true,
    pipeStdin: false,
    enforceManagedNetwork: false,
    retainedBytes,
  })
})
