/** Facts that a model cannot know of the host on which its commands run. */
import * as Result from "effect/Result"
import type * as UnifiedExec from "../../../core/agent/UnifiedExec.ts"
import type { EnvironmentInfo } from "../../../core/protocol/Environment.ts"
import * as PathUri from "../../../core/protocol/PathUri.ts"

export const make = ({ shell, cwd, platformOs }: EnvironmentInfo, options: UnifiedExec.Options): string => {
  const folder =
    options.cwd ?? (cwd && PathUri.toPath(cwd, platformOs ?? "").pipe(Result.getOrElse(() => cwd)))
  const where = folder ? ` in ${folder}` : ""
  return `Commands run with ${options.shell ?? shell.path}${where}${platformOs ? ` on ${platformOs}` : ""}.`
}
