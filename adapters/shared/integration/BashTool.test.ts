/**
 * The bash tool of Anthropic's models where the state of its shell is hostile: no option, trap, function, alias,
 * variable, terminal mode, descriptor or background process of the commands may hide the end of a command or its code.
 */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import process from "node:process"
import { setTimeout as elapse } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bashTool, createTools, type AgentTools, type BashTool } from "../../../core/agent/index.ts"
import type { Client } from "../../../core/client/Client.ts"
import { connect } from "../../testing/Client.ts"
import * as Proc from "../testing/Proc.ts"

let client: Client
let tools: AgentTools
const home = realpathSync(mkdtempSync(join(tmpdir(), "procwire-bash-")))

beforeAll(async () => {
  client = await connect({ inProcess: true })
  tools = createTools(client, { cwd: home, env: { HOME: home, KEPT: "kept" } })
})
afterAll(async () => {
  await tools.close()
  await client.close()
  rmSync(home, { recursive: true, force: true })
})

let calls = 0
const say = async (bash: BashTool, command: string) => {
  const id = `toolu_${(calls += 1)}`
  const { content, is_error } = await bash.call({ type: "tool_use", id, name: "bash", input: { command } })
  return is_error === true ? { error: content } : content
}

/** A shell that the test leaves; each command must end at once, so that a lost end is noticed soon. */
const within = async (body: (run: (command: string) => Promise<unknown>) => Promise<void>) => {
  const bash = bashTool(tools, { timeoutMs: 60_000 })
  try {
    await body((command) => say(bash, command))
  } finally {
    await bash.close()
  }
}

const code = (number: number, before = "") => `${before}Exit code: ${number}`

/** A command that changes the state of the shell, and its answer where that is not the empty text. */
const states: ReadonlyArray<readonly [name: string, command: string, answer?: unknown]> = [
  ["set -x", "set -x"],
  ["set -v", "set -v"],
  ["set -u", "set -u"],
  ["set -e", "set -e"],
  ["set -aCfkT", "set -aCfkT"],
  ["set -E and pipefail", "set -E -o pipefail"],
  ["posix mode", "set -o posix"],
  ["a trap on DEBUG", "trap ': debug' DEBUG"],
  ["a trap on DEBUG that prints, and is gone", "trap 'echo debug' DEBUG; trap - DEBUG", "debug\n"],
  ["traps on ERR and RETURN", "set -E; trap ': err' ERR; trap ': return' RETURN"],
  ["a trap on EXIT", "trap 'echo bye' EXIT"],
  [
    "functions in place of builtins",
    "builtin command eval printf read trap set unset export shopt exit test return source exec"
      .split(" ")
      .map((name) => `${name}() { false; }`)
      .join("; "),
  ],
  ["aliases of builtins and words", "alias eval=no builtin=no trap=no set=no '{=no' if=no '!=no'"],
  ["disabled builtins", "enable -n builtin printf echo read test shopt"],
  ["IFS", "IFS=0123456789"],
  ["PATH", "export PATH=/nowhere"],
  ["PS1, PS4 and PROMPT_COMMAND", "PS1=1 PS2=2 PS4='$(exit 3)' PROMPT_COMMAND='exit 4'"],
  ["LC_ALL and POSIXLY_CORRECT", "unset LC_ALL POSIXLY_CORRECT PWD OLDPWD HOME"],
  ["the terminal's defaults", "stty sane </dev/tty"],
  ["a raw terminal", "stty raw </dev/tty"],
  ["a terminal of capitals, which stops what prints in the background", "stty olcuc tostop -echo </dev/tty"],
  ["other descriptors", "exec 3>/dev/null 9>/dev/null 10>/dev/null 11>&1 99>/dev/null"],
  ["closed descriptors", 'for fd in {3..254}; do eval "exec $fd>&-"; done'],
  ["stdin", "exec </etc/passwd"],
  ["a mask and limits", "umask 777; ulimit -f 0"],
  ["a folder that is gone", 'mkdir gone && cd gone && rmdir "$PWD"'],
  ["no temporary files", "rm -rf /tmp/procwire-shell-*"],
  [
    "a job in the background that prints later",
    "(sleep 0.2; echo late) & true",
    expect.stringMatching(/^(late\n)?$/),
  ],
  ["a job that prints at once", "nohup sh -c 'while sleep 0.01; do echo noise >&2; done' >/dev/null 2>&1 &"],
  ["break, continue and return", "break; continue; return 0", expect.stringContaining("return")],
]

describe("A shell in a hostile state", () => {
  for (const [name, command, answer = ""] of states) {
    it(`tells end and code: ${name}`, () =>
      within(async (run) => {
        expect(await run(command)).toEqual(answer)
        // A word in capitals is one that `olcuc` leaves alone.
        const ask = "(exit 7) || builtin echo ALIVE 2>&1 || /bin/echo ALIVE"
        expect(String(await run(ask)).toUpperCase()).toContain("ALIVE")
        expect(await run("/bin/sh -c 'exit 5'").then(String)).toMatch(/(Exit code: 5|code 5\.)/)
        expect(String(await run(`/bin/echo AGAIN`)).toUpperCase()).toContain("AGAIN")
      }))
  }

  it("is not taken for stuck by a look that was meant for the command before", () =>
    within(async (run) => {
      await run("true")
      const [controller = 0] = Proc.withArgument("-s").filter((pid) =>
        readFileSync(`/proc/${pid}/environ`, "utf8").includes(`HOME=${home}\0`),
      )
      const slow = run(": >begun; until [ -e proceed ]; do sleep 0.02; done")
      while (!existsSync(join(home, "begun"))) await elapse(10)
      process.kill(controller, "SIGSTOP")
      // The first look comes after half a second, and waits for the controller.
      await elapse(1500)
      writeFileSync(join(home, "proceed"), "")
      expect(await slow).toBe("")
      const next = run("echo on")
      await elapse(0)
      process.kill(controller, "SIGCONT")
      expect(await next).toBe("on\n")
    }))

  it("runs on with stdout and stderr in a file", () =>
    within(async (run) => {
      expect(await run("exec 3>&1 >out.txt 2>&1; echo first")).toBe("")
      expect(await run("echo second; (exit 6)")).toBe(code(6))
      expect(await run("exec >&3 2>&3; cat out.txt")).toBe("first\nsecond\n")
    }))

  it("shows nothing of its own under -x and -v, and keeps all options and traps", () =>
    within(async (run) => {
      await run("trap 'echo ERR' ERR; trap 'echo DBG' DEBUG")
      expect(await run("(exit 3)")).toBe(code(3, "DBG\nERR\n"))
      expect(await run("trap - ERR DEBUG")).toBe("DBG\n")
      expect(await run("set -x")).toBe("")
      expect(await run("true 1")).toBe("++ true 1\n")
      expect(await run("{ set +x; } 2>/dev/null; shopt -s inherit_errexit; set -fa")).toBe("")
      expect(await run("echo $-; shopt -q inherit_errexit && echo inherited; trap -p ERR DEBUG")).toMatch(
        /^(?=\w*a)(?=\w*f)\w+\ninherited\n$/,
      )
    }))

  it("tells what was printed behind the end with the next command", () =>
    within(async (run) => {
      expect(await run("(until [ -e go ]; do sleep 0.02; done; echo late; : >gone) & echo now")).toBe("now\n")
      expect(await run(": >go; until [ -e gone ]; do sleep 0.02; done; echo next")).toBe("late\nnext\n")
    }))

  it("takes texts that are no whole commands", () =>
    within(async (run) => {
      expect(await run('echo "open')).toMatch(/unexpected EOF[^]*Exit code: [12]$/)
      expect(await run("cat <<EOF\nopen")).toContain("open\n")
      expect(await run("echo )")).toMatch(/syntax error[^]*Exit code: [12]$/)
      expect(await run("echo 'it'\\''s' \\")).toBe("it's \\\n")
      expect(await run("# nothing")).toBe("")
      expect(await run("nosuchprogram")).toMatch(
        /^bash: line \d+: nosuchprogram: command not found\nExit code: 127$/,
      )
    }))

  it("expands aliases, in the next command and in the next line", () =>
    within(async (run) => {
      expect(await run("alias hi='echo hi'\nhi there")).toBe("hi there\n")
      expect(await run("hi you; shopt -u expand_aliases")).toBe("hi you\n")
      expect(await run("hi you")).toContain("command not found")
    }))
})

describe("A shell that a command has ended", () => {
  const ended = (number: number, before = "") =>
    `${before}The shell has exited with code ${number}. The next command starts another one.`

  it.each([
    ["set -e", "set -e; echo before; (exit 4)", ended(4, "before\n")],
    ["exit", "echo before; exit 5", ended(5, "before\n")],
    [
      "a parameter that must be set",
      ": ${nothing:?is missing}",
      expect.stringContaining("is missing\nThe shell has"),
    ],
    ["a signal", "kill -KILL $$", ended(137)],
    ["exec", "exec sh -c 'exit 6'", ended(6)],
  ])(
    "says so with the code, and another one has its folder and exported variables: %s",
    async (_, end, answer) => {
      await within(async (run) => {
        await run('mkdir -p "a\'b c" && cd "a\'b c"; unset HOME; plain=1; export KEPT=changed')
        await run("export MADE=$'two\\nlines \\\\ \"$x\"'")
        expect(await run(end)).toEqual(answer)
        expect(await run('pwd; echo "$MADE" $KEPT [$plain] [${HOME-unset}] $-')).toBe(
          `${home}/a'b c\ntwo\nlines \\ "$x" changed [] [unset] hB\n`,
        )
      })
    },
  )

  it("has the folder and the variables of the command that ended it", () =>
    within(async (run) => {
      expect(await run("mkdir -p last && cd last; export LAST=1; exit 1")).toBe(ended(1))
      expect(await run("pwd; echo $LAST")).toBe(`${home}/last\n1\n`)
      expect(await run("trap 'echo bye' EXIT")).toBe("")
      expect(await run("exit 2")).toBe(ended(2, "bye\n"))
    }))

  it("says at once that a shell runs no more commands", () =>
    within(async (run) => {
      expect(await run("shopt -s extdebug; trap false DEBUG")).toMatchObject({
        error: expect.stringContaining("no more commands"),
      })
      expect(await run("echo alive")).toBe("alive\n")
    }))
})

describe("A command that asks", () => {
  it("answers at once, goes on, and takes the next text as its input", () =>
    within(async (run) => {
      const read = "stty -echo </dev/tty; read -r word </dev/tty; stty echo </dev/tty"
      const ask = `printf 'Password: ' >/dev/tty; ${read}; echo [$word]; (exit 3)`
      expect(await run(ask)).toMatch(/^Password: \nThe command asks for a password .* session ID \d+/)
      expect(await run("it's s3cret")).toBe(code(3, "[it's s3cret]\n"))
      const twice = "read -rp 'Name: ' one </dev/tty; read -rp 'Age: ' two </dev/tty; echo $one is $two"
      expect(await run(twice)).toMatch(/^Name: \nThe command asks for input/)
      expect(await run("Ada")).toMatch(/Age: \nThe command asks for input/)
      expect(await run("36")).toBe("36\nAda is 36\n")
    }))

  it("refuses a command that was sent beside it, and ends on Ctrl-C", () =>
    within(async (run) => {
      const both = await Promise.all([run("read -r x </dev/tty; echo got $x"), run("echo beside")])
      const refused = { error: expect.stringContaining("was not run") }
      expect(both).toEqual([expect.stringContaining("asks for input"), refused])
      expect(await run("\u0003")).toContain("The shell has exited with code 130")
    }))

  it("can be written to with write_stdin; what comes next is then no input of a command that has ended", () =>
    within(async (run) => {
      const asked = String(await run("read -r x </dev/tty; echo got $x; : >answered"))
      const session_id = Number(/session ID (\d+)/.exec(asked)?.[1])
      await tools.writeStdin({ session_id, chars: "this\n" })
      await tools.execCommand({ cmd: "until [ -e answered ]; do sleep 0.02; done", wait_for: { exit: true } })
      expect(await run("rm -f answered")).toMatchObject({
        error: expect.stringMatching(/got this\n.*was not run/s),
      })
      expect(await run("cat answered && echo there")).toBe("there\n")
    }))
})
