// @ts-check
/** Fault: a process that dies of a signal has the number of the signal as its exit code. */
import { constants } from "node:os"
import { serve } from "../control/Server.mjs"

serve({ exitCode: (code, signal) => code ?? constants.signals[signal ?? "SIGKILL"] })
