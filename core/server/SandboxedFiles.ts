/** Decides by its `sandbox` which file calls a request gets. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Scope from "effect/Scope"
import type { FileCalls } from "../files/FileCalls.ts"
import { invalid } from "../files/FileError.ts"
import type { FilesService } from "../files/Files.ts"
import * as UnconfinedCalls from "../files/UnconfinedCalls.ts"
import type { Sandbox } from "../protocol/Sandbox.ts"
import * as Confinement from "../protocol/Confinement.ts"
import * as SandboxPaths from "../protocol/SandboxPaths.ts"
import type { HostInfo } from "../spawn/Host.ts"
import { type HandlerError, ParamsError } from "./WireError.ts"

/** The file calls of a server by sandbox. */
export interface SandboxedFiles {
  /** The calls that a sandbox allows, or a refusal. They are usable until the scope closes. */
  readonly calls: (sandbox: Sandbox | null | undefined) => Effect.Effect<FileCalls, HandlerError, Scope.Scope>
}

/** Unrestricted requests run in this process; restricted ones run where `files` confines them, or are refused. */
export const make = (files: FilesService, { platform, env }: HostInfo): SandboxedFiles => {
  const unconfined = UnconfinedCalls.make(files)
  return {
    calls: (sandbox) =>
      Effect.gen(function* () {
        if (sandbox == null) return unconfined
        const cwd = sandbox.policyContext?.cwd ?? sandbox.cwd
        if (Confinement.needsCwd(sandbox) && cwd == null) return yield* refuse(needsCwd)
        if (SandboxPaths.isRestricted(sandbox)) {
          const foreign = SandboxPaths.foreign(sandbox, platform, ["permission", "cwd", "root"])
          if (foreign !== undefined)
            return yield* Effect.fail(invalid(`${foreignText[foreign.role]}${foreign.error.message}`))
        }
        const context = { platform, cwd: undefined, tmpdir: env["TMPDIR"] }
        const confinement = Confinement.resolve(sandbox, context)
        if (Either.isLeft(confinement)) return yield* refuse(confinement.left)
        if (confinement.right === undefined || Confinement.hasAllFiles(confinement.right)) return unconfined
        if (files.confined === undefined) return yield* refuse(unconfinable)
        return yield* files.confined({ ...confinement.right, network: false })
      }),
  }
}

/** The refusal of a server that cannot confine. */
export const unconfinable =
  "restricted `sandbox` permissions need bubblewrap (bwrap), which this server does not have"

const needsCwd = "file system sandbox context with dynamic permissions requires cwd"

/** What the peer implementation says before the text about a path of another host. */
const foreignText: Readonly<Record<SandboxPaths.Role, string>> = {
  permission: "invalid sandbox permission path URI: ",
  cwd: "",
  root: "file system sandbox workspace root is not native to this exec-server host: ",
}

const refuse = (message: string) => Effect.fail(new ParamsError({ message }))
