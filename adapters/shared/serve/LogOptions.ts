/** The rows of the table of options for what logs look like; see `OptionTable`. */
import * as Logging from "./Logging.ts"
import type { Option } from "./Option.ts"

/** What logs look like. */
export const logs = {
  /**
   * Of the logs on stderr: logfmt, json, pretty. Default: logfmt. The flag is `--log-format`.
   */
  logFormat: {
    flag: "log-format",
    kind: "choice",
    of: Logging.formatNames,
    shows: "FORMAT",
    default: "logfmt",
    help: `of the logs on stderr: ${Logging.formatNames.join(", ")}`,
  },
  /**
   * Trace, debug, info, warning, error, none. Default: the variable PROCWIRE_LOG, or warning. The flag is
   * `--log-level`.
   */
  logLevel: {
    flag: "log-level",
    kind: "choice",
    of: Logging.levelNames,
    shows: "LEVEL",
    default: "the variable PROCWIRE_LOG, or warning",
    help: Logging.levelNames.join(", "),
  },
} as const satisfies Record<string, Option>
