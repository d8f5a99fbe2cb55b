/** Decides by its `sandbox` which file calls a request gets. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type { FileCalls } from "../../files/FileCalls.ts"
import { type FileError, invalid } from "../../files/FileError.ts"
import type { FilesService } from "../../files/Files.ts"
import { foreign as foreignPath, isRestricted, type Role, type Sandbox } from "../../protocol/Sandbox.ts"
import * as Confinement from "../../protocol/Confinement.ts"
import type { HostInfo } from "../../spawn/Host.ts"
import { type ParamsError, refuseParams } from "../../protocol/ParamsError.ts"
import * as Late from "../Late.ts"

/** The handlers of `fs/*`, and the calls that they make unless a sandbox confines them. */
export const code = Late.make(() =>
  Promise.all([import("./handlers.ts"), import("../../files/UnconfinedCalls.ts")]),
)

/** The file calls of a server by sandbox. */
export interface SandboxedFiles {
  /** The calls that a sandbox allows, or a refusal. They are usable until the scope closes. */
  readonly calls: (
    sandbox: Sandbox | null | undefined,
  ) => Effect.Effect<FileCalls, FileError | ParamsError, Scope.Scope>
}

/**
 * Unrestricted requests run in this process; restricted ones run where `files` confines them, or are refused. With a
 * `floor` every request is confined at least to that.
 */
export const make = (
  files: FilesService,
  { platform, env }: HostInfo,
  floor?: Confinement.Confinement,
): SandboxedFiles => {
  let made: FileCalls | undefined
  const unconfined = Late.use(code, ([, { make }]) => Effect.succeed((made ??= make(files))))
  const under = (asked: Confinement.Confinement | undefined) => {
    const confinement = Confinement.underFloor(floor, asked)
    if (confinement === undefined || Confinement.hasAllFiles(confinement)) return unconfined
    if (files.confined !== undefined) return files.confined({ ...confinement, network: false })
    return refuseParams(floor === undefined ? unconfinable : floorless)
  }
  return {
    calls: (sandbox) =>
      Effect.gen(function* () {
        if (sandbox == null) return yield* under(undefined)
        const cwd = sandbox.policyContext?.cwd ?? sandbox.cwd
        if (Confinement.needsCwd(sandbox) && cwd == null) return yield* refuseParams(needsCwd)
        if (isRestricted(sandbox)) {
          const foreign = foreignPath(sandbox, platform, ["permission", "cwd", "root"])
          if (foreign !== undefined)
            return yield* Effect.fail(invalid(`${foreignText[foreign.role]}${foreign.error.message}`))
        }
        const context = { platform, cwd: undefined, tmpdir: env["TMPDIR"] }
        const confinement = Confinement.resolve(sandbox, context)
        if (Result.isFailure(confinement)) return yield* refuseParams(confinement.failure)
        return yield* under(confinement.success)
      }),
  }
}

/** The refusal of a server that cannot confine. */
export const unconfinable =
  "restricted `sandbox` permissions need bubblewrap (bwrap), which this server does not have"

const floorless =
  "files are refused: this server is confined (--confine), and to confine files it needs bubblewrap (bwrap) and the " +
  "program procwire"

const needsCwd = "file system sandbox context with dynamic permissions requires cwd"

/** Prefixes of the peer implementation before the text about a path of another host. */
const foreignText: Readonly<Record<Role, string>> = {
  permission: "invalid sandbox permission path URI: ",
  cwd: "",
  root: "invalid sandbox workspace root: ",
}
