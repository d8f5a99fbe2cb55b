/** The folder by which servers with `--keep` find their holder, where no option names one. */
import { join } from "node:path"
import * as Folders from "../host/Folders.ts"

/** That of this user. */
export const usual = (env: Readonly<Record<string, string | undefined>>): string =>
  join(Folders.ofUser(env, "XDG_STATE_HOME", ".local/state"), "procwire", "keep")
