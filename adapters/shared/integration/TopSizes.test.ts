/** cli/: `procwire top` on terminals of any size. */
import { expect, it, vi } from "vitest"
import { connect } from "../../testing/Client.ts"
import { name as runtime, unboundCommand } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"

it.runIf(runtime === "Node")(
  "top fits its terminal, also when that is resized, and wraps no line",
  async () => {
    const program = Program.make()
    const names = ["first-of-them", "second-of-them", "third-of-them", "fourth-of-them"]
    for (const name of names)
      await program.call(
        "run",
        "-d",
        "--name",
        name,
        "--",
        "sh",
        "-c",
        `: ${"long ".repeat(80)}; exec sleep 1000`,
      )
    const client = await connect({ inProcess: true })
    try {
      const env = Object.fromEntries(
        Object.entries(program.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
      )
      const top = await client.start({
        argv: [...unboundCommand, "top", "--interval", "100ms"],
        env,
        tty: true,
        terminalSize: { rows: 24, columns: 80 },
      })
      for (const [rows, columns] of [
        [24, 80],
        [5, 20],
        [80, 300],
        [3, 4],
        [12, 40],
      ] as const) {
        await top.resize({ rows, columns })
        await vi.waitFor(
          async () => {
            const { text = "" } = await top.screen({ formats: ["text"] })
            const lines = text.split("\n").filter((line) => line.trim() !== "")
            expect(lines.length).toBe(Math.min(names.length + 2, rows))
            const [head, titles, ...table] = lines
            expect("4 processes, CPU").toContain(head?.slice(0, Math.min(16, columns - 1)))
            expect("NAME ".startsWith((titles ?? "").slice(0, Math.min(5, columns - 1)))).toBe(true)
            const begins = names.map((name) => name.slice(0, Math.min(11, columns - 1))).sort()
            const shown = table.map((line) => line.slice(0, Math.min(11, columns - 1)))
            for (const line of shown) expect(begins).toContain(line)
            // The width is used.
            if (columns >= 80) expect(Math.max(...table.map((line) => line.length))).toBe(columns)
          },
          { timeout: 30_000, interval: 100 },
        )
      }
      await top.write("q")
      expect(await top.exitCode).toBe(0)
    } finally {
      await client.close()
    }
  },
)
