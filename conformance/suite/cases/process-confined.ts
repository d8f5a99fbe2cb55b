/**
 * Processes under a restricted profile, on servers that can enforce one: what they can reach, and how denials are
 * reported.
 */
import { randomUUID } from "node:crypto"
import { Check, Child, table } from "../Vocabulary.ts"
import { readOnly } from "../Manifest.ts"
import { managed, outside } from "./process-sandbox.ts"

const sandboxed = { requires: ["sandbox"] } as const

export const processConfined = table("process/sandbox", sandboxed, {
  "denial-is-guessed": {
    spec: [181],
    says: `A confined process that fails and prints the text of a denial has sandboxDenied true; one that
      succeeds, or prints another text, has it false.`,
    play: async (wire) => {
      const scripts: ReadonlyArray<readonly [string, boolean]> = [
        ["echo Operation Not Permitted; exit 1", true],
        ["echo permission denied >&2; exit 127", true],
        ["echo permission denied; exit 0", false],
        ["echo could not resolve host; exit 1", false],
      ]
      for (const [script, denied] of scripts) {
        const child = await Child.run(wire, { script, params: { sandbox: readOnly } })
        Check.equal((await child.read())["sandboxDenied"], denied, `sandboxDenied of ${script}`)
      }
    },
  },
  // guards: confinement
  "places-and-links": {
    spec: ["b73"],
    says: `Inside a readable folder, a folder without access cannot be read, a writable one can be written,
      and a link reaches only what the profile allows.`,
    play: async (wire) => {
      const base = `/tmp/procwire-${randomUUID()}`
      const folders = `mkdir -p ${base}/none ${base}/open; echo secret >${base}/none/f`
      const links = `ln -s ${base}/none/f ${base}/open/l; ln -s ${base} ${base}/open/up`
      await outside(wire, `${folders}; ${links}`)
      const place = (path: string, access: string) => ({
        path: { type: "path", path: `file://${path}` },
        access,
      })
      const root = { path: { type: "special", value: { kind: "root" } }, access: "read" }
      const entries = [root, place(`${base}/none`, "none"), place(`${base}/open`, "write")]
      const writes = "touch open/made && echo wrote; touch made open/up/made none/made"
      const script = `cd ${base}; cat none/f open/l; ${writes}; :`
      const params = { sandbox: managed({ type: "restricted", entries }, "restricted") }
      const child = await Child.run(wire, { script, params })
      const left = await outside(wire, `ls ${base} ${base}/none; ls ${base}/open; rm -rf ${base}`)
      Check.equal(child.text("stdout"), "wrote\n", "the output")
      Check.equal(left.match(/made/g)?.length ?? 0, 1, "files that were made")
    },
  },
  "network-off-and-on": {
    spec: [180],
    says: "With a restricted network there is only the loopback interface; an enabled one is that of the server.",
    play: async (wire) => {
      const script = "cat /proc/self/net/dev | cut -d: -f1 | sed 1,2d | tr -d ' ' | sort"
      const all = await outside(wire, script)
      const entries = [{ path: { type: "special", value: { kind: "root" } }, access: "read" }]
      for (const [network, wanted] of [
        ["restricted", "lo\n"],
        ["enabled", all],
      ] as const) {
        const params = { sandbox: managed({ type: "restricted", entries }, network) }
        const child = await Child.run(wire, { script, params })
        Check.equal(child.text("stdout"), wanted, `the interfaces of a network that is ${network}`)
      }
    },
  },
  // guards: confinement
  "machine-is-out-of-reach": {
    level: "should",
    says: `A process with a read-only profile cannot open files in /proc/sys for writing, whichever user
      runs the server.`,
    play: async (wire) => {
      const script = "(: >>/proc/sys/vm/swappiness) 2>/dev/null && echo opened; :"
      const child = await Child.run(wire, { script, params: { sandbox: readOnly } })
      Check.equal(child.text("stdout"), "", "the output")
    },
  },
  "signal-and-ctrl-c-reach-the-program": {
    level: "should",
    says: `A confined program gets the interrupt of process/signal, and Ctrl-C on its terminal, as an
      unconfined one does.`,
    play: async (wire) => {
      const script =
        "trap 'echo caught; exit 5' INT; echo ready; i=0; while [ $i -lt 400 ]; do sleep 0.05; i=$((i+1)); done"
      for (const tty of [false, true]) {
        const child = await Child.start(wire, { script, params: { sandbox: readOnly, tty } })
        await child.says("ready")
        if (tty) await child.write("\u0003")
        else await wire.ok("process/signal", { processId: child.id, signal: "interrupt" })
        Check.equal((await child.ended()).exitCode, 5, tty ? "the exit code on a PTY" : "the exit code")
        Check.contains(child.text(), "caught", "the output")
      }
    },
  },
})
