/** The program in the shell of a person: a real bash in a real terminal, its loops, and its prompt afterwards. */
import { describe, expect, it, onTestFinished } from "vitest"
import { spawner, unboundCommand } from "../../testing/Runtime.ts"
import * as Program from "../testing/Program.ts"
import * as TestChild from "../testing/TestChild.ts"

const prompt = "AT-PROMPT "

/** An interactive bash, in which `procwire` is the program. */
const open = async ({ env, folder }: Program.Program) => {
  const set = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const shell = await TestChild.start(spawner, {
    argv: ["bash", "--norc", "--noprofile", "--noediting", "-i"],
    cwd: folder.path,
    env: { ...(Object.fromEntries(set) as Record<string, string>), TERM: "xterm", PS1: "START " },
    pty: true,
  })
  onTestFinished(() => shell.close())
  let from = 0
  const text = () => shell.text("pty").slice(from)
  const shows = (what: string) => TestChild.until(() => text().includes(what), text)
  const type = (keys: string) => TestChild.effect(shell.handle.write(Buffer.from(keys)))
  /** Types a line; what is shown begins anew. */
  const enter = (line: string) => {
    from = shell.text("pty").length
    return type(`${line}\n`)
  }
  const words = unboundCommand.map((word) => `'${word}'`).join(" ")
  await shows("START ")
  await enter(`procwire() { ${words} "$@"; }; PS1=AT-''PROMPT\\ `)
  await shows(prompt)
  return { text, shows, type, enter }
}

/** The output up to the next prompt, without the sequence that switches bracketed paste on. */
const untilPrompt = async ({ shows, text }: Awaited<ReturnType<typeof open>>) => {
  await shows(prompt)
  return text().replaceAll("\u001b[?2004h", "")
}

const ready = "sh -c 'echo rea''dy; exec sleep 600'"

describe("Ctrl-C", () => {
  it.each([
    ["run", `run -- ${ready}`],
    ["logs -f", "logs -f web"],
  ])("ends a loop of the shell around %s, and the prompt begins a line", async (_, line) => {
    const program = Program.make()
    await program.call("run", "-d", "--name", "web", "--", "sh", "-c", "echo ready; exec sleep 600")
    const shell = await open(program)
    await shell.enter(`for i in 1 2 3; do procwire ${line}; echo ne""xt; done`)
    await shell.shows("ready\r\n")
    await shell.type("\u0003")
    const shown = await untilPrompt(shell)
    expect(shown).not.toContain("next")
    expect(shown).toMatch(/\nAT-PROMPT $/)
    await shell.enter("stty -a")
    expect(await untilPrompt(shell)).toMatch(/[ ;]icanon/)
  })

  it("lets a loop go on whose command has handled it", async () => {
    const shell = await open(Program.make())
    const handling = `sh -c 'trap "exit 3" INT; echo rea""dy; while :; do sleep 0.05; done'`
    await shell.enter(`for i in 1; do procwire run -- ${handling}; echo "co""de $?"; done`)
    await shell.shows("ready\r\n")
    await shell.type("\u0003")
    expect(await untilPrompt(shell)).toContain("code 3\r\n")
  })

  it("as a key of run --tty leaves the prompt at the begin of a line", async () => {
    const shell = await open(Program.make())
    await shell.enter(`procwire run -t -- ${ready}`)
    await shell.shows("ready")
    await shell.type("\u0003")
    expect(await untilPrompt(shell)).toMatch(/\^C\r+\nAT-PROMPT $/)
  })
})

describe("procwire attach", () => {
  it("says that it has left on a line of its own, and the prompt begins one", async () => {
    const program = Program.make()
    await program.call(
      "run",
      "-d",
      "-t",
      "--name",
      "web",
      "--",
      "sh",
      "-c",
      "printf 'half a line'; exec sleep 600",
    )
    const shell = await open(program)
    await shell.enter("procwire attach web")
    await shell.shows("half a line")
    await shell.type("\u0010\u0011")
    expect(await untilPrompt(shell)).toMatch(/\ndetached; procwire attach web comes back\r\nAT-PROMPT $/)
  })
})
