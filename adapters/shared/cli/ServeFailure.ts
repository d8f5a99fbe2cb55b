/** Why a server or a router does not begin, as the end of a command. */
import type { ServeError } from "../serve/ServeError.ts"
import * as Flags from "./Flags.ts"

/** Wrong use and what cannot start exit with 2, an address that cannot be bound with 1. */
export const toFlagError =
  (command: string) =>
  (error: ServeError): ServeError | Flags.UsageError | Flags.ConfigurationError => {
    const { reason, message } = error
    if (reason === "Listen") return error
    return reason === "InvalidOption"
      ? new Flags.UsageError({ command, message })
      : new Flags.ConfigurationError({ message })
  }
