/**
 * The program of `process/start`: how it is found, its argv[0], and the OS errors of a failed start.
 */
import { Check, Child, table, type JsonObject, type Wire } from "../Vocabulary.ts"

const noFile = "No such file or directory (os error 2)"

/** A start with these params fails with -32603, this text and this kind. */
const failsOf = async (wire: Wire, params: JsonObject, text: string, kind: string): Promise<void> => {
  const { error } = await wire.begin("process/start", params)
  if (error === undefined) return Check.fail(`the start with ${Check.show(params)} had to be refused`)
  Check.equal(
    [error.code, error.message],
    [-32603, text],
    `code and text of ${Check.show(params["argv"] ?? null)}`,
  )
  Check.equal(error.data, { kind }, `the data of the error "${text}"`)
}

export const startProgram = table("process/start", {
  // guards: reserved-id
  "program-missing-frees-the-id": {
    spec: [81],
    says: `A program that does not exist is refused with -32603 and the text of the OS; no notification is
      sent, and the id is free again.`,
    play: async (wire) => {
      const id = "again"
      await wire.refused("process/start", Child.params(wire, { id, argv: ["/no/such/prog"] }), -32603, noFile)
      const child = await Child.start(wire, { id, script: "exit 3" })
      const end = await child.ended()
      Check.equal(end.exitCode, 3, "the exit code of the second start")
      Check.equal(end.events.length, 2, "events of the id")
    },
  },
  "program-missing-refused-with-tty": {
    spec: [82],
    requires: ["pty"],
    says: `A start with tty and an absolute program that does not exist is refused with -32603 and the text
      of the OS.`,
    play: async (wire) => {
      const params = Child.params(wire, { tty: true, argv: ["/no/such/prog"] })
      await wire.refused("process/start", params, -32603, noFile)
    },
  },
  "program-not-executable-refused": {
    says: "A program that is a folder or not executable is refused with -32603 and Permission denied (os error 13).",
    play: async (wire) => {
      for (const program of ["/tmp", "/etc/passwd"]) {
        const params = Child.params(wire, { argv: [program] })
        await wire.refused("process/start", params, -32603, "Permission denied (os error 13)")
      }
    },
  },
  "program-of-no-format-refused": {
    level: "should",
    requires: ["pty"],
    says: `An executable file that is neither a binary nor begins with #! is refused with -32603 and Exec
      format error (os error 8), however it is named, on pipes and on a PTY.`,
    play: async (wire) => {
      const script =
        "d=$(mktemp -d /tmp/procwire.XXXXXX) && echo plain >$d/file && chmod +x $d/file && printf $d"
      const made = await Child.run(wire, { script })
      const folder = made.text()
      for (const tty of [false, true]) {
        for (const program of [`${folder}/file`, "./file", "file"]) {
          const where = { env: { PATH: folder }, params: { cwd: `file://${folder}` } }
          const params = Child.params(wire, { argv: [program], tty, ...where })
          await wire.refused("process/start", params, -32603, "Exec format error (os error 8)")
        }
      }
      await (await Child.start(wire, { argv: ["rm", "-r", folder] })).ended()
    },
  },
  "program-relative-to-cwd": {
    says: "A relative program path with a slash is resolved against the cwd.",
    play: async (wire) => {
      const options = { argv: ["bin/sh", "-c", "exit 6"], params: { cwd: "file:///usr" } }
      Check.equal((await (await Child.start(wire, options)).ended()).exitCode, 6, "the exit code")
    },
  },
  "empty-path-is-the-cwd": {
    level: "should",
    spec: [85],
    says: `With an empty PATH a program is looked for in the cwd alone: true is refused with -32603 in a
      folder without it, and found in one that has it.`,
    play: async (wire) => {
      const start = (cwd: string) => ({ argv: ["true"], env: { PATH: "" }, params: { cwd } })
      await wire.refused("process/start", Child.params(wire, start("file:///dev")), -32603, noFile)
      const child = await Child.start(wire, start("file:///bin"))
      Check.equal((await child.ended()).exitCode, 0, "the exit code")
    },
  },
  "cwd-is-told-before-a-long-name": {
    level: "should",
    spec: [80],
    says: `A program name of 256 bytes is refused with -32603 and Filename too long (os error 36); if the
      cwd is missing or a file, that is what the text tells.`,
    play: async (wire) => {
      const texts = {
        "file:///": "Filename too long (os error 36)",
        "file:///no/such/folder": noFile,
        "file:///etc/passwd": "Not a directory (os error 20)",
      }
      for (const argv of [["x".repeat(256)], ["\u00e4".repeat(128)]]) {
        for (const [cwd, text] of Object.entries(texts))
          await wire.refused("process/start", Child.params(wire, { argv, params: { cwd } }), -32603, text)
      }
    },
  },
  "empty-argv-refused": {
    spec: [83],
    says: "An empty argv is refused with -32602, even with an id that is taken.",
    play: async (wire) => {
      const { id } = await Child.start(wire, { script: "sleep 60" })
      for (const taken of ["other", id]) {
        await wire.refused(
          "process/start",
          Child.params(wire, { id: taken, argv: [] }),
          -32602,
          "argv must not be empty",
        )
      }
    },
  },
  "blank-program-refused": {
    spec: [84],
    says: "An argv of one empty string is refused with -32603 and the text missing program for pipe spawn.",
    play: async (wire) => {
      const params = Child.params(wire, { argv: [""] })
      await wire.refused("process/start", params, -32603, "missing program for pipe spawn")
    },
  },
  "program-found-in-child-path": {
    spec: [85],
    says: `A program name without a slash is looked up in the PATH of the child, not of the server; without
      a PATH, in the default path of the system.`,
    play: async (wire) => {
      const params = Child.params(wire, { argv: ["ls"], env: { PATH: "/nonexistent" } })
      await wire.refused("process/start", params, -32603, noFile)
      await (await Child.start(wire, { argv: ["ls"], env: {} })).ended()
    },
  },
  "nul-bytes-refused": {
    spec: [86],
    says: "A NUL in an argument or in an environment variable is refused with -32603 and a text about the nul byte.",
    play: async (wire) => {
      const inArgv = Child.params(wire, { argv: ["/bin/echo", "a\0b"] })
      await wire.refused("process/start", inArgv, -32603, "nul byte found in provided data")
      const inEnv = Child.params(wire, { env: { A: "x\0y" } })
      Check.contains(await wire.refused("process/start", inEnv, -32603), "nul byte", "the message")
    },
  },
  "nul-bytes-told-by-place": {
    level: "should",
    spec: [86],
    requires: ["pty"],
    says:
      "A NUL in the environment is told as `data provided contains a nul byte`, one in an argument as `nul byte " +
      "found in provided data`, on pipes and on a PTY.",
    play: async (wire) => {
      for (const tty of [false, true]) {
        const inEnv = Child.params(wire, { tty, env: { A: "x\0y" } })
        await wire.refused("process/start", inEnv, -32603, "data provided contains a nul byte")
        const inArgv = Child.params(wire, { tty, argv: ["/bin/echo", "a\0b"] })
        await wire.refused("process/start", inArgv, -32603, "nul byte found in provided data")
      }
    },
  },
  "arg0-replaces-argv0": {
    spec: [177],
    requires: ["arg0"],
    says: "Without tty, arg0 is what the process sees as argv[0], while argv[0] is the program that runs.",
    play: async (wire) => {
      const child = await Child.run(wire, { script: "echo $0", params: { arg0: "custom-zero" } })
      Check.equal(child.text(), "custom-zero\n", "the output")
    },
  },
  "arg0-with-tty-is-the-program": {
    level: "peer",
    peers: ["0.169"],
    spec: [178],
    requires: ["arg0", "pty"],
    says: "With tty, arg0 is taken as the program to run: arg0 zero is refused with -32603 and Unable to spawn zero.",
    play: async (wire) => {
      const params = Child.params(wire, { tty: true, params: { arg0: "zero" } })
      Check.contains(
        await wire.refused("process/start", params, -32603),
        "Unable to spawn zero",
        "the message",
      )
    },
  },
  "arg0-with-tty-replaces-argv0": {
    peers: ["0.171"],
    spec: [178],
    requires: ["arg0", "pty"],
    says: "With tty, too, arg0 is what the process sees as argv[0], while argv[0] is the program that runs.",
    play: async (wire) => {
      for (const arg0 of ["custom-zero", ""]) {
        const child = await Child.run(wire, { tty: true, script: "echo $0.", params: { arg0 } })
        Check.equal(child.text(), `${arg0}.\r\n`, "the output")
      }
    },
  },
  "arg0-with-tty-looks-in-the-path": {
    level: "should",
    peers: ["0.171"],
    spec: [178],
    requires: ["arg0", "pty"],
    says: `With tty and arg0, a program that is not absolute and does not begin with ./ or ../ is looked for
      in the PATH of the process alone. What is not found there is refused with -32603, the text Unable to
      find executable X in PTY PATH and the kind spawnFailed, and without a PATH with Unable to resolve the
      PATH.`,
    play: async (wire) => {
      const at = (argv: ReadonlyArray<string>, cwd: string, env: { readonly [name: string]: string }) =>
        Child.params(wire, { tty: true, argv, env, params: { cwd, arg0: "zero" } })
      const path = { PATH: "/usr/bin:/bin" }
      for (const program of ["no-such-program", "bin/sh", "bin", "x".repeat(300)]) {
        const text = `Unable to find executable ${program} in PTY PATH`
        await failsOf(wire, at([program], "file:///usr", path), text, "spawnFailed")
      }
      for (const program of ["passwd", "no-such-program"]) {
        const text = `Unable to find executable ${program} in PTY PATH`
        await failsOf(wire, at([program], "file:///etc", { PATH: "" }), text, "spawnFailed")
      }
      await failsOf(wire, at(["sh"], "file:///", {}), "Unable to resolve the PATH", "spawnFailed")
      for (const program of ["./bin/sh", "../usr/bin/sh", "/bin/sh", "sh"]) {
        const where = { argv: [program, "-c", "echo $0"], env: path }
        const child = await Child.run(wire, {
          ...where,
          tty: true,
          params: { cwd: "file:///usr", arg0: "zero" },
        })
        Check.equal(child.text(), "zero\r\n", `the output of ${program}`)
      }
      const nested = { argv: ["bin/sh", "-c", "echo $0"], env: { PATH: "/nowhere:/usr" } }
      const found = await Child.run(wire, { ...nested, tty: true, params: { arg0: "zero" } })
      Check.equal(found.text(), "zero\r\n", "the output of bin/sh with /usr in its PATH")
    },
  },
  "arg0-with-tty-failures": {
    level: "should",
    peers: ["0.171"],
    spec: [178],
    requires: ["arg0", "pty"],
    says: `With tty and arg0, a program that is named by its path fails as on pipes; one that begins with ./
      or ../ is not found (-32603, No such file or directory) where the cwd is a file.`,
    play: async (wire) => {
      const at = (program: string, params: JsonObject = {}) =>
        Child.params(wire, { tty: true, argv: [program], params: { arg0: "zero", ...params } })
      await failsOf(wire, at("/no/such/program"), noFile, "spawnNotFound")
      await failsOf(wire, at("./no-such-program"), noFile, "spawnNotFound")
      await failsOf(wire, at("/tmp"), "Permission denied (os error 13)", "spawnPermissionDenied")
      await failsOf(wire, at("/etc/passwd/x"), "Not a directory (os error 20)", "spawnFailed")
      await failsOf(wire, at("sh", { arg0: "a\0b" }), "nul byte found in provided data", "spawnFailed")
      for (const program of ["./x", "../x"])
        await failsOf(wire, at(program, { cwd: "file:///etc/passwd" }), noFile, "spawnNotFound")
    },
  },
  "failure-has-a-kind": {
    peers: ["0.171"],
    spec: [80, 81, 85],
    says: `The error of a failed start has data.kind: spawnNotFound where program, cwd or interpreter do not
      exist, spawnPermissionDenied where it may not be executed or is a folder, and spawnFailed for every
      other reason.`,
    play: async (wire) => {
      const script =
        "d=$(mktemp -d /tmp/procwire.XXXXXX) && cd $d && echo plain >format && echo '#!/no/such' >interpreter && " +
        "ln -s loop loop && chmod +x format interpreter && printf $d"
      const made = await Child.run(wire, { script })
      const folder = made.text()
      const at = (argv: ReadonlyArray<string>, params: JsonObject = {}) =>
        Child.params(wire, { argv, params })
      const nowhere = { cwd: "file:///no/such/folder" }
      for (const params of [at(["no-such-program"]), at(["/no/such"]), at(["./no"]), at(["true"], nowhere)])
        await failsOf(wire, params, noFile, "spawnNotFound")
      await failsOf(wire, at([`${folder}/interpreter`]), noFile, "spawnNotFound")
      for (const program of ["/tmp", "/etc/passwd"])
        await failsOf(wire, at([program]), "Permission denied (os error 13)", "spawnPermissionDenied")
      const others: ReadonlyArray<readonly [string, JsonObject]> = [
        ["Not a directory (os error 20)", at(["true"], { cwd: "file:///etc/passwd" })],
        ["Not a directory (os error 20)", at(["/etc/passwd/x"])],
        ["Exec format error (os error 8)", at([`${folder}/format`])],
        ["Symbolic link loop (os error 40)", at([`${folder}/loop`])],
        ["Argument list too long (os error 7)", at(["true", "x".repeat(300_000)])],
        ["Filename too long (os error 36)", at(["x".repeat(300)])],
        ["nul byte found in provided data", at(["/bin/echo", "a\0b"])],
        ["data provided contains a nul byte", Child.params(wire, { env: { A: "a\0b" } })],
        ["missing program for pipe spawn", at([""])],
      ]
      for (const [text, params] of others) await failsOf(wire, params, text, "spawnFailed")
      await (await Child.start(wire, { argv: ["rm", "-r", folder] })).ended()
    },
  },
  "failure-has-a-kind-with-tty": {
    peers: ["0.171"],
    spec: [82],
    requires: ["pty"],
    says: "With tty, too, the error of a failed start has data.kind.",
    play: async (wire) => {
      const at = (argv: ReadonlyArray<string>) => Child.params(wire, { tty: true, argv })
      await failsOf(wire, at(["/no/such"]), noFile, "spawnNotFound")
      await failsOf(wire, at(["/tmp"]), "Permission denied (os error 13)", "spawnPermissionDenied")
      await failsOf(wire, at(["/etc/passwd/x"]), "Not a directory (os error 20)", "spawnFailed")
      await failsOf(wire, at([""]), "missing program for PTY spawn", "spawnFailed")
    },
  },
  "refusal-has-no-kind": {
    level: "should",
    spec: [83, 90],
    says: `The error of a start that is refused before anything is tried (params that do not decode, an
      empty argv, an id that is taken) has no data, and neither have the errors of other methods.`,
    play: async (wire) => {
      const { id } = await Child.start(wire, { script: "sleep 60" })
      const asked: ReadonlyArray<readonly [string, JsonObject]> = [
        ["process/start", { ...Child.params(wire, {}), tty: null }],
        ["process/start", Child.params(wire, { argv: [] })],
        ["process/start", Child.params(wire, { params: { cwd: "file:///tmp?x" } })],
        ["process/start", Child.params(wire, { id })],
        ["process/read", { processId: "no-such-process" }],
        ["no/such", {}],
      ]
      for (const [method, params] of asked) {
        const { error } = await wire.begin(method, params)
        if (error === undefined) return Check.fail(`${method} ${Check.show(params)} was not refused`)
        Check.equal(error.data ?? null, null, `the data of the error of ${method} ("${error.message}")`)
      }
    },
  },
  "own-session-and-group": {
    spec: [137],
    requires: ["procfs", "process-group"],
    says: "A process leads its own session and process group; without tty it has no controlling terminal.",
    run: async (t) => {
      const child = await Child.run(await t.open(), {
        script: "read -r a b c d e f g h < /proc/self/stat; echo $$ $e $f $g",
      })
      const [pid, group, session, tty] = child.text().trim().split(" ")
      Check.equal(
        [group ?? "", session ?? "", tty ?? ""],
        [pid ?? "", pid ?? "", "0"],
        "group, session, terminal",
      )
    },
  },
  "stdin-is-empty": {
    spec: [136],
    says: "Without tty and pipeStdin, stdin is at EOF: cat exits at once.",
    run: async (t) => {
      const end = await (await Child.start(await t.open(), { argv: ["cat"] })).ended()
      Check.equal([end.exitCode, end.closedSeq], [0, 2], "exit code and last seq")
    },
  },
})
