// The least that a server on a runtime can be: it answers the first request, and starts one process with what the
// runtime has. It checks nothing, and copies nothing.
import { spawn } from "node:child_process"
import { writeSync } from "node:fs"

let text = ""
process.stdin.on("data", (bytes) => {
  text += bytes
  const lines = text.split("\n")
  text = lines.pop() ?? ""
  for (const line of lines) {
    const { id, method, params } = JSON.parse(line)
    if (method === "initialize") writeSync(1, `{"id":${id},"result":{}}\n`)
    if (method !== "process/start") continue
    const [file = "", ...args] = params.argv
    const child = spawn(file, args, { cwd: "/tmp", env: params.env, stdio: ["ignore", "pipe", "pipe"] })
    child.on("exit", (exitCode) => {
      const exited = { processId: params.processId, seq: 1, exitCode }
      writeSync(1, `{"method":"process/exited","params":${JSON.stringify(exited)}}\n`)
    })
  }
})
