/** `run --egress-ask` in a real terminal: a person answers with keys. Skipped where there is no tmux. */
import { once } from "node:events"
import * as fs from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { open } from "../testing/AttachedWindow.ts"
import { open as openChildren } from "../testing/EgressChildren.ts"
import * as Tmux from "../testing/Tmux.ts"

const { spawner } = openChildren(async () => [])

/** The last line that a host answers through the proxy. */
const get = [
  "get() {",
  "  exec 3<>/dev/tcp/127.0.0.1/${http_proxy##*:}",
  "  printf 'GET http://127.0.0.1:%s/ HTTP/1.0\\r\\n\\r\\n' \"$1\" >&3",
  '  printf \'%s said: %s\\n\' "$1" "$(tail -n 1 <&3)"',
  "}",
].join("\n")

/** A host that says a word. */
const host = async (word: string) => {
  const server = createServer((_, response) => void response.end(`${word}\n`))
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** A window with a server whose rules leave the loopback to the person; `run` types a command that runs a script. */
const terminal = async () => {
  const { start, folder, window } = open()
  const rules = ["--confine", "no-network", "--egress", "ask:127.0.0.1"]
  const server = start("serve", "--listen", "ws://127.0.0.1:0", ...rules)
  const [url] = (await once(server.stdout!, "data")) as [Buffer]
  const run = (script: string) => {
    fs.writeFileSync(folder.at("script"), `${get}\n${script}\n`)
    window.keys(`clear; pw run --server ${String(url).trim()} --egress-ask -- bash script`, "Enter")
  }
  return { window, folder, run }
}

/** A text without blanks and ends of lines: a terminal breaks lines anywhere, and blanks at their ends are not seen. */
const packed = (text: string) => text.replace(/\s+/g, "")

const question = (port: number) =>
  packed(`procwire: the command wants to reach 127.0.0.1:${port} by HTTP. Allow it? [y/N]`)

const flat = (window: Tmux.Window) => packed(window.text())

const denied = packed("the person at the terminal has denied it")

describe.runIf(Tmux.lack === undefined && spawner.capabilities.egress)(
  "questions of a command at a terminal",
  { tags: ["tmux", "bubblewrap"] },
  () => {
    it("are answered with y for this target alone, and with anything else by a refusal", async () => {
      const { window, run } = await terminal()
      const [one, other] = [await host("welcome"), await host("welcome, too")]
      run(`get ${one}; get ${one}; get ${other}; get ${other}`)
      await window.shows(/\[y\/N\]/)
      expect(flat(window)).toContain(question(one))
      window.keys("y", "Enter")
      await window.shows(new RegExp(`(?:${one} said: welcome\\n){2}`))
      await window.shows(/\[y\/N\][^]*\[y\/N\]/)
      expect(flat(window)).toContain(question(other))
      window.keys("n", "Enter")
      await window.shows(/(?:has denied it[^]*){2}>\s*$/)
      expect(flat(window)).not.toContain("welcome,too")
      expect(window.text().match(/\[y\/N\]/g)).toHaveLength(2)
    })

    it("come one after the other, each with its own answer", async () => {
      const { window, run } = await terminal()
      const ports = [await host("welcome"), await host("welcome")] as const
      run(`get ${ports[0]} & get ${ports[1]} & wait`)
      await window.shows(/\[y\/N\]/)
      const [first, second] = flat(window).includes(question(ports[0])) ? ports : [ports[1], ports[0]]
      expect(flat(window)).toContain(question(first))
      expect(flat(window)).not.toContain(question(second))
      window.keys("Enter")
      await window.shows(/\[y\/N\][^]*\[y\/N\]/)
      expect(flat(window)).toContain(question(second))
      window.keys("y", "Enter")
      await window.shows(new RegExp(`${second} said: welcome\n`))
      await window.shows(/>\s*$/)
      expect(flat(window)).toMatch(new RegExp(`${first}said:.*${denied}`))
      expect(flat(window)).not.toContain(`${first}said:welcome`)
    })

    it("are not answered by what was typed before they came", async () => {
      const { window, folder, run } = await terminal()
      const port = await host("welcome")
      run(`echo begun; until [ -e asks ]; do sleep 0.1; done; get ${port}`)
      await window.shows(/begun\n/)
      window.keys("y", "Enter")
      await window.shows(/begun\ny\n/)
      fs.writeFileSync(folder.at("asks"), "")
      await window.shows(/\[y\/N\]/)
      window.keys("n", "Enter")
      await window.shows(/>\s*$/)
      expect(flat(window)).toContain(denied)
    })

    it("end with Ctrl-C, as the command does, and leave the terminal as it was", async () => {
      const { window, folder, run } = await terminal()
      run(`get ${await host("welcome")}`)
      await window.shows(/\[y\/N\]/)
      window.keys("C-c")
      await window.shows(/\^C\n?>\s*$/)
      window.keys("echo code $?; stty -a >after; echo $((40 + 2))", "Enter")
      await window.shows("\n42\n")
      expect(window.text()).toContain("code 130\n")
      expect(window.text()).not.toContain("welcome")
      expect(fs.readFileSync(folder.at("after"), "utf8")).toBe(fs.readFileSync(folder.at("before"), "utf8"))
    })
  },
)
