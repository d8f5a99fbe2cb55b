/** The number of a signal on this host. */
import { constants } from "node:os"
import * as Signals from "../../../core/protocol/Signals.ts"

/** Of a POSIX name, a real-time signal (`SIGRTMIN+1`), or a name that is a number (`SIG35`); undefined for no signal. */
export const of = (name: string): number | undefined =>
  (constants.signals as Readonly<Record<string, number>>)[name] ?? Signals.numberIn(name)
