// @ts-check
// Mutations of the dialects: today's wire, the first one, and the one that finds out.
import { inFile } from "./mutation.mjs"

const v0 = inFile("core/protocol/dialect/v0.ts")
const auto = inFile("core/protocol/dialect/auto.ts")
const current = inFile("core/protocol/dialect/current.ts")

export const dialects = [
  v0("retainedBytes: outputBytesCap", "retainedBytes: Infinity", "v0: the cap of output is ignored"),
  v0("? event.exitCode : -1", "? event.exitCode : event.exitCode", "v0: a death by signal is no -1"),
  v0("pid: pid ?? null", "pid: null", "v0: the pid is not told"),
  v0("endsOnMalformed: true", "endsOnMalformed: false", "v0: a malformed message is answered"),
  v0("handshake: false", "handshake: true", "v0: a handshake is needed"),
  v0("pipeStdin: false", "pipeStdin: true", "v0: pipes have a stdin"),
  auto('method !== "initialize"', 'method === "initialize"', "the first request decides nothing"),
  auto('params["resumeSessionId"] != null', "false", "who resumes is not known for today's client"),
  current(
    "endsOnStrayAnswer: true",
    "endsOnStrayAnswer: false",
    "a stray answer is tolerated",
    "handshake/violation",
  ),
  current("endsOnMalformed: false", "endsOnMalformed: true", "a malformed message ends it all", "envelope"),
].map((mutation) => ({ ...mutation, tests: ["core/server/ExecServer.Dialects.test.ts"] }))
