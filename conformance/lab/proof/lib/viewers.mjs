// @ts-check
// Clients that look on: a program of its own, so that its work is not that of the owner. Prints a line when all have
// attached, and at the end of its stdin how much each of them has got.
import * as Net from "node:net"

const [path = "", session = "", count = "0"] = process.argv.slice(2)
let attached = 0
/** @type {Array<{ bytes: number, gaps: number }>} */
const viewers = []

/** @param {Net.Socket} socket @param {object} message */
const send = (socket, message) => socket.write(`${JSON.stringify(message)}\n`)

for (let at = 0; at < Number(count); at++) {
  const viewer = { bytes: 0, gaps: 0 }
  viewers.push(viewer)
  const socket = Net.connect(path)
  send(socket, { id: 1, method: "initialize", params: { clientName: "viewer" } })
  send(socket, { method: "initialized" })
  const params = {
    session: Number(session),
    processId: "flood",
    as: "seen",
    policy: "skip",
    afterSeq: 2 ** 50,
  }
  send(socket, { id: 2, method: "process/attach", params })
  let head = ""
  socket.on("error", () => {})
  socket.on("data", (bytes) => {
    viewer.bytes += bytes.length
    if (bytes.includes("process/gap")) viewer.gaps += 1
    if (head === "done") return
    head += bytes.toString("latin1")
    if (!head.includes('"id":2')) return
    head = "done"
    attached += 1
    if (attached === Number(count)) process.stdout.write("attached\n")
  })
}
if (count === "0") process.stdout.write("attached\n")
process.stdin.on("end", () => {
  process.stdout.write(`${JSON.stringify(viewers)}\n`, () => process.exit(0))
})
process.stdin.resume()
