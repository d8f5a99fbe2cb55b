/** The directory suite on the directory in memory, on every runtime. */
import * as Effect from "effect/Effect"
import { DirectorySuite } from "../../../conformance/directory/index.ts"
import * as Memory from "../../../core/directory/Memory.ts"

DirectorySuite.suite("a directory in memory", (options) =>
  Effect.map(Memory.make(options), (directory) => Effect.succeed(directory)),
)
