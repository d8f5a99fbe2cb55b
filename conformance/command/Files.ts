/**
 * The files that a run leaves behind, each with the flag that names it. All are opened before anything runs, so that no
 * run is lost for a path that cannot be written.
 */
import { writeFileSync } from "node:fs"
import * as Versions from "../../core/protocol/document/Versions.ts"
import * as Badge from "../report/Badge.ts"
import * as Junit from "../report/Junit.ts"
import * as Markdown from "../report/Markdown.ts"
import * as Report from "../report/Report.ts"
import type * as Tally from "../report/Tally.ts"
import type * as Verdict from "../report/Verdict.ts"
import { UsageError, type Options } from "./Options.ts"
import { version } from "./Version.ts"

/** The facts of a run that has ended; `ms` is its duration in milliseconds. */
export interface Ended {
  readonly verdict: Verdict.Verdict
  readonly ms: number
  readonly look: Report.Style
}

type Content = (ended: Ended, subject: Tally.Subject) => string

const kinds: { readonly [flag in "json" | "junit" | "badge" | "markdown"]: Content } = {
  json: ({ ms, verdict }) => Report.toJson(verdict, version(), ms),
  junit: ({ look, ms, verdict }) => Junit.make(verdict, ms, look),
  badge: ({ verdict }, subject) => Badge.make(verdict, subject),
  markdown: ({ verdict }, subject) => Markdown.make(verdict, subject),
}

/** Opens the files that are wanted; fails with a {@link UsageError} that names what cannot be written. */
export const open = (options: Options): ((ended: Ended) => void) => {
  const wanted = (["json", "junit", "badge", "markdown"] as const).flatMap((flag) => {
    const path = options[flag]
    return path === undefined ? [] : [{ flag, path, content: kinds[flag] }]
  })
  for (const { flag, path } of wanted) {
    try {
      writeFileSync(path, "")
    } catch (error) {
      throw new UsageError(`--${flag} ${path}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const kind = options.client.length > 0 ? "client" : options.spawners.length > 0 ? "spawner" : "server"
  const { dialect } = options
  const wire = dialect === "v0" ? "v0" : Versions.current
  const subject: Tally.Subject = { kind, dialect, wire, suite: version() }
  return (ended) => {
    for (const { content, path } of wanted) writeFileSync(path, content(ended, subject))
  }
}
