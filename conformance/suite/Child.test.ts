import { expect, test } from "vitest"
import * as Child from "./Child.ts"
import * as Inbox from "./wire/Inbox.ts"
import type { Wire } from "./wire/Wire.ts"

/** A process of which output arrives on request. */
const following = () => {
  const inbox = Inbox.make()
  const child = Child.attach({ inbox, timeoutMs: 60_000 } as unknown as Wire, "p")
  const arrives = (seq: number, bytes: string | Buffer, stream = "stdout") => {
    const chunk = Buffer.from(bytes).toString("base64")
    const params = { processId: "p", seq, stream, chunk }
    inbox.addMessage({
      text: JSON.stringify({ method: "process/output", params }),
      binary: false,
      unterminated: false,
    })
  }
  /** True if the wait for a text ends with the output so far. */
  const said = async (part: string) => {
    let found = false
    void child.says(part).then(() => (found = true))
    await new Promise(setImmediate)
    return found
  }
  return { child, arrives, said }
}

test("output is joined in the order of seq, of one stream or of all", () => {
  const { child, arrives } = following()
  arrives(1, "a")
  arrives(3, "c")
  arrives(2, "b", "stderr")
  expect([child.text(), child.text("stdout"), child.text("stderr")]).toEqual(["abc", "ac", "b"])
})

test("a text is found across chunks, also if they come in another order than that of seq", async () => {
  const { child, arrives, said } = following()
  const [euro, whole] = [Buffer.from("€"), child.says("12€34")]
  arrives(2, "x1")
  arrives(6, "4")
  arrives(3, Buffer.concat([Buffer.from("2"), euro.subarray(0, 1)]))
  expect(await said("12€34")).toBe(false)
  arrives(4, euro.subarray(1))
  expect(await said("12€")).toBe(true)
  expect(await said("12€34")).toBe(false)
  arrives(5, "3")
  await whole
  arrives(7, "5")
  await child.says("345")
  await child.has(9)
})
