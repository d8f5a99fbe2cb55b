/** Which calls to files a request gets: where its `sandbox` is decided upon. */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as FileCalls from "../files/FileCalls.ts"
import type { FilesService } from "../files/Files.ts"
import { allowsEveryFile, type Sandbox } from "../protocol/Sandbox.ts"
import { type HandlerError, ParamsError } from "./WireError.ts"

export interface Confinement {
  /** The calls for a request, or a refusal. They are used until the scope ends: that of an open file, with the file. */
  readonly calls: (
    sandbox: Sandbox | null | undefined,
  ) => Effect.Effect<FileCalls.FileCalls, HandlerError, Scope.Scope>
}

/** Free requests run in this process; restricted ones are refused, never run. */
export const refusing = (files: FilesService): Confinement => {
  const free = Effect.succeed(FileCalls.make(files))
  return { calls: (sandbox) => (sandbox == null || allowsEveryFile(sandbox) ? free : refused) }
}

/** What is said where nothing can confine. */
export const refusal = "restricted `sandbox` permissions are not supported by this server"

const refused = Effect.fail(new ParamsError({ message: refusal }))
