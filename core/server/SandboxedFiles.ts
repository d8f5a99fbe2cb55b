/** Decides by its `sandbox` which file calls a request gets. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type { FileCalls } from "../files/FileCalls.ts"
import type { FilesService } from "../files/Files.ts"
import * as UnconfinedCalls from "../files/UnconfinedCalls.ts"
import type { Sandbox } from "../protocol/Sandbox.ts"
import * as Confinement from "../protocol/Confinement.ts"
import type { HostInfo } from "../spawn/Host.ts"
import { type HandlerError, ParamsError } from "./WireError.ts"

export interface SandboxedFiles {
  /** The calls for a request, or a refusal. They are used until the scope ends: that of an open file, with the file. */
  readonly calls: (sandbox: Sandbox | null | undefined) => Effect.Effect<FileCalls, HandlerError, Scope.Scope>
}

/** Free requests run in this process, restricted ones where `files` can confine them, or not at all. */
export const make = (files: FilesService, { platform, env }: HostInfo): SandboxedFiles => {
  const free = UnconfinedCalls.make(files)
  return {
    calls: (sandbox) =>
      Effect.gen(function* () {
        if (sandbox == null) return free
        const cwd = sandbox.policyContext?.cwd ?? sandbox.cwd
        if (Confinement.needsCwd(sandbox) && cwd == null) return yield* refuse(needsCwd)
        const context = { platform, cwd: undefined, tmpdir: env["TMPDIR"] }
        const confinement = Confinement.resolve(sandbox, context)
        if (Either.isLeft(confinement)) return yield* refuse(confinement.left)
        if (confinement.right === undefined || Confinement.hasAllFiles(confinement.right)) return free
        if (files.confined === undefined) return yield* refuse(unconfinable)
        return yield* files.confined({ ...confinement.right, network: false })
      }),
  }
}

/** What a server that cannot confine says. */
export const unconfinable =
  "restricted `sandbox` permissions need bubblewrap (bwrap), which this server does not have"

const needsCwd = "file system sandbox context with dynamic permissions requires cwd"

const refuse = (message: string) => Effect.fail(new ParamsError({ message }))
