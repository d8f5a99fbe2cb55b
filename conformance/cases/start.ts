/**
 * `process/start`: which params are needed, which are tolerated, and how a start is refused.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"

const noFile = "No such file or directory (os error 2)"

export const start = table("process/start", {
  "missing-field-is-named": {
    level: "must",
    spec: [75],
    says: "A start without processId, argv, cwd, env or tty is refused with -32602 and a message that names the missing one.",
    run: async (t) => {
      const wire = await t.open()
      for (const field of ["processId", "argv", "cwd", "env", "tty"]) {
        const { [field]: _, ...rest } = Child.params(wire, {})
        Check.contains(await wire.refused("process/start", rest, -32602), field, `the message without ${field}`)
      }
    },
  },
  "five-fields-are-enough": {
    level: "must",
    spec: [76],
    says: 'A start with processId, argv, cwd, env and tty returns the processId and sandboxType "none".',
    run: async (t) => {
      const wire = await t.open()
      const result = await wire.ok("process/start", Child.params(wire, { id: "five" }))
      Check.equal(result["processId"], "five", "processId")
      Check.equal(result["sandboxType"], "none", "sandboxType")
    },
  },
  "cwd-relative-or-empty-refused": {
    level: "must",
    spec: [77],
    says: "A start with the cwd tmp, ./tmp or an empty text is refused with -32602.",
    run: async (t) => {
      const wire = await t.open()
      for (const cwd of ["tmp", "./tmp", ""]) {
        await wire.refused("process/start", Child.params(wire, { params: { cwd } }), -32602)
      }
    },
  },
  "cwd-plain-path-refused": {
    level: "peer",
    spec: [77],
    says: "A start with the cwd /tmp, a plain path, is refused with -32602 and the text of Codex.",
    run: async (t) => {
      const wire = await t.open()
      const params = Child.params(wire, { params: { cwd: "/tmp" } })
      await wire.refused("process/start", params, -32602, "invalid URI: relative URL without a base")
    },
  },
  "cwd-file-uri": {
    level: "must",
    spec: [78],
    says: "The cwd file:///usr is where the process starts; percent-encoding is decoded.",
    run: async (t) => {
      const wire = await t.open()
      for (const cwd of ["file:///usr", "file:///%75sr"]) {
        const child = await Child.start(wire, { script: "pwd -P", params: { cwd } })
        await child.ended()
        Check.equal(child.text(), "/usr\n", `the working directory for ${cwd}`)
      }
    },
  },
  "cwd-uri-variants": {
    level: "should",
    spec: [78],
    says: "The cwd may be written file:/usr, FILE:///usr, file://localhost/usr, file:///usr/ or file:///usr/bin/.., and is normalised.",
    run: async (t) => {
      const wire = await t.open()
      for (const cwd of ["file:/usr", "FILE:///usr", "file://localhost/usr", "file:///usr/", "file:///tmp/../usr"]) {
        const child = await Child.start(wire, { argv: ["/bin/pwd", "-P"], params: { cwd } })
        await child.ended()
        Check.equal(child.text(), "/usr\n", `the working directory for ${cwd}`)
      }
    },
  },
  "cwd-other-uris-refused": {
    level: "must",
    spec: [79],
    says: "A cwd with another scheme, a query, a fragment, a remote host or a drive letter is refused with -32602.",
    run: async (t) => {
      const wire = await t.open()
      const faults = ["http://x/tmp", "file:///tmp?x", "file:///tmp#f", "file://otherhost/tmp", "file:///C:/x"]
      for (const cwd of faults) {
        await wire.refused("process/start", Child.params(wire, { params: { cwd } }), -32602)
      }
    },
  },
  "cwd-texts-of-the-peer": {
    level: "peer",
    spec: [79],
    says: "Refused working directories have the exact texts of Codex.",
    run: async (t) => {
      const wire = await t.open()
      const texts = {
        "http://x/tmp": "unsupported path URI scheme `http`",
        "file:///tmp?x": "query parameters are not allowed in path URIs",
        "file:///tmp#f": "fragments are not allowed in path URIs",
        "file:///C:/x": "cwd URI `file:///C:/x` is not valid on this exec-server host: 'file:///C:/x' is invalid on 'linux'",
      }
      for (const [cwd, text] of Object.entries(texts)) {
        await wire.refused("process/start", Child.params(wire, { params: { cwd } }), -32602, text)
      }
    },
  },
  "cwd-missing-refused": {
    level: "must",
    spec: [80],
    says: "A cwd that does not exist, or is a file, is refused with -32603 and the text of the OS with its number.",
    run: async (t) => {
      const wire = await t.open()
      const at = (cwd: string) => Child.params(wire, { params: { cwd } })
      await wire.refused("process/start", at("file:///no/such/folder"), -32603, noFile)
      await wire.refused("process/start", at("file:///etc/passwd"), -32603, "Not a directory (os error 20)")
    },
  },
  "cwd-missing-refused-with-tty": {
    level: "should",
    spec: [],
    requires: ["pty"],
    says: "A start with tty and a cwd that does not exist is refused with -32603.",
    run: async (t) => {
      const wire = await t.open()
      const params = Child.params(wire, { tty: true, params: { cwd: "file:///no/such/folder" } })
      await wire.refused("process/start", params, -32603)
    },
  },
  "program-missing-frees-the-id": {
    level: "must",
    spec: [81],
    says: "A missing program is refused with -32603 and the text of the OS; nothing is notified, and the same id can be started again.",
    run: async (t) => {
      const wire = await t.open()
      const id = "again"
      await wire.refused("process/start", Child.params(wire, { id, argv: ["/no/such/prog"] }), -32603, noFile)
      const child = await Child.start(wire, { id, script: "exit 3" })
      const end = await child.ended()
      Check.equal(end.exitCode, 3, "the exit code of the second start")
      Check.equal(end.events.length, 2, "events of the id")
    },
  },
  "program-missing-refused-with-tty": {
    level: "must",
    spec: [82],
    requires: ["pty"],
    says: "A start with tty and an absolute program that does not exist is refused with -32603 and the text of the OS.",
    run: async (t) => {
      const wire = await t.open()
      const params = Child.params(wire, { tty: true, argv: ["/no/such/prog"] })
      await wire.refused("process/start", params, -32603, noFile)
    },
  },
  "program-not-executable-refused": {
    level: "must",
    spec: [],
    says: "A program that is a folder or not executable is refused with -32603 and Permission denied (os error 13).",
    run: async (t) => {
      const wire = await t.open()
      for (const program of ["/tmp", "/etc/passwd"]) {
        const params = Child.params(wire, { argv: [program] })
        await wire.refused("process/start", params, -32603, "Permission denied (os error 13)")
      }
    },
  },
  "program-relative-to-cwd": {
    level: "must",
    spec: [],
    says: "A program with a slash that is not absolute is looked for in the cwd.",
    run: async (t) => {
      const wire = await t.open()
      const options = { argv: ["bin/sh", "-c", "exit 6"], params: { cwd: "file:///usr" } }
      Check.equal((await (await Child.start(wire, options)).ended()).exitCode, 6, "the exit code")
    },
  },
  "empty-argv-refused": {
    level: "must",
    spec: [83],
    says: "An empty argv is refused with -32602, also on an id that is taken.",
    run: async (t) => {
      const wire = await t.open()
      const { id } = await Child.start(wire, { script: "sleep 60" })
      for (const taken of ["other", id]) {
        await wire.refused("process/start", Child.params(wire, { id: taken, argv: [] }), -32602, "argv must not be empty")
      }
    },
  },
  "blank-program-refused": {
    level: "must",
    spec: [84],
    says: "An argv of one empty text is refused with -32603 and missing program for pipe spawn.",
    run: async (t) => {
      const wire = await t.open()
      const params = Child.params(wire, { argv: [""] })
      await wire.refused("process/start", params, -32603, "missing program for pipe spawn")
    },
  },
  "program-found-in-child-path": {
    level: "must",
    spec: [85],
    says: "A bare program name is looked for in the PATH of the child, not of the server; without a PATH in the usual places.",
    run: async (t) => {
      const wire = await t.open()
      const params = Child.params(wire, { argv: ["ls"], env: { PATH: "/nonexistent" } })
      await wire.refused("process/start", params, -32603, noFile)
      await (await Child.start(wire, { argv: ["ls"], env: {} })).ended()
    },
  },
  "nul-bytes-refused": {
    level: "must",
    spec: [86],
    says: "A NUL in an argument or in an environment variable is refused with -32603 and a text about the nul byte.",
    run: async (t) => {
      const wire = await t.open()
      const inArgv = Child.params(wire, { argv: ["/bin/echo", "a\0b"] })
      await wire.refused("process/start", inArgv, -32603, "nul byte found in provided data")
      const inEnv = Child.params(wire, { env: { A: "x\0y" } })
      Check.contains(await wire.refused("process/start", inEnv, -32603), "nul byte", "the message")
    },
  },
  "null-booleans-refused": {
    level: "must",
    spec: [87],
    says: "tty, pipeStdin or enforceManagedNetwork with the value null are refused with -32602.",
    run: async (t) => {
      const wire = await t.open()
      for (const field of ["tty", "pipeStdin", "enforceManagedNetwork"]) {
        await wire.refused("process/start", Child.params(wire, { params: { [field]: null } }), -32602)
      }
    },
  },
  "null-options-accepted": {
    level: "must",
    spec: [88],
    says: "arg0, envPolicy, sandbox, managedNetwork, networkProxy, shellSnapshot and metadata may be null.",
    run: async (t) => {
      const nulls = ["arg0", "envPolicy", "sandbox", "managedNetwork", "networkProxy", "shellSnapshot", "metadata"]
      const params = Object.fromEntries(nulls.map((name) => [name, null]))
      await (await Child.start(await t.open(), { params })).ended()
    },
  },
  "unknown-fields-ignored": {
    level: "must",
    spec: [89],
    says: "Unknown fields of a start, as outputBytesCap or size, are ignored.",
    run: async (t) => {
      const params = { outputBytesCap: 1, size: { rows: 1, cols: 1 }, zzz: null }
      await (await Child.start(await t.open(), { params })).ended()
    },
  },
  "wrong-types-refused": {
    level: "must",
    spec: [],
    says: "A start with a field of the wrong type is refused with -32602.",
    run: async (t) => {
      const wire = await t.open()
      const wrong = { processId: 1, argv: "ls", cwd: 5, env: [], tty: "no", pipeStdin: 1, arg0: 5, envPolicy: 5 }
      for (const [field, value] of Object.entries(wrong)) {
        await wire.refused("process/start", Child.params(wire, { params: { [field]: value } }), -32602)
      }
      await wire.refused("process/start", Child.params(wire, { params: { argv: ["ls", 1] } }), -32602)
      await wire.refused("process/start", Child.params(wire, { params: { env: { A: 1 } } }), -32602)
    },
  },
  "running-id-refused": {
    level: "must",
    spec: [90],
    says: "A start with the id of a running process is refused with -32600 and process ID already exists; the process is not disturbed.",
    run: async (t) => {
      const wire = await t.open()
      const child = await Child.start(wire, { id: "dup", script: "read x; exit 9", pipeStdin: true })
      await wire.refused("process/start", Child.params(wire, { id: "dup" }), -32600, "process dup already exists")
      await child.write("go\n")
      Check.equal((await child.ended()).exitCode, 9, "the exit code of the first process")
    },
  },
  "retained-id-refused": {
    level: "must",
    spec: [91],
    says: "A start with the id of a process that has just closed is refused like that of a running one.",
    run: async (t) => {
      const wire = await t.open()
      await (await Child.start(wire, { id: "dup" })).ended()
      await wire.refused("process/start", Child.params(wire, { id: "dup" }), -32600, "process dup already exists")
    },
  },
  "any-text-is-an-id": {
    level: "must",
    spec: [92],
    says: "An id may be any text: with quotes, newlines, outside ASCII, empty, or 5000 characters long; it comes back unchanged.",
    run: async (t) => {
      const wire = await t.open()
      for (const id of ['a"b\\c', "line\nbreak\t", "zwölf-\u{1F600}", "", "x".repeat(5000), "__proto__", "constructor"]) {
        const child = await Child.start(wire, { id })
        Check.equal((await child.ended()).closedSeq, 2, `the last seq of ${JSON.stringify(id.slice(0, 20))}`)
        await wire.refused("process/start", Child.params(wire, { id }), -32600, `process ${id} already exists`)
      }
    },
  },
  "racing-starts-one-wins": {
    level: "must",
    spec: [164],
    says: "Of two starts with one id that are sent without waiting, exactly one succeeds and the other is refused with -32600.",
    run: async (t) => {
      const wire = await t.open()
      for (let round = 0; round < 10; round++) {
        const params = Child.params(wire, { id: `race-${round}` })
        const replies = await Promise.all([wire.begin("process/start", params), wire.begin("process/start", params)])
        const codes = replies.map(({ error }) => error?.code ?? 0).sort((a, b) => a - b)
        Check.equal(codes, [-32600, 0], `the codes of round ${round + 1}`)
        Check.equal((await Child.attach(wire, `race-${round}`).ended()).closedSeq, 2, "the last seq")
      }
    },
  },
  "arg0-replaces-argv0": {
    level: "must",
    spec: [177],
    requires: ["arg0"],
    says: "Without tty, arg0 is what the process sees as argv[0], while argv[0] is the program that runs.",
    run: async (t) => {
      const wire = await t.open()
      const child = await Child.start(wire, { script: "echo $0", params: { arg0: "custom-zero" } })
      await child.ended()
      Check.equal(child.text(), "custom-zero\n", "the output")
    },
  },
  "arg0-with-tty-is-the-program": {
    level: "peer",
    spec: [178],
    requires: ["arg0", "pty"],
    says: "With tty, arg0 is taken as the program to run: -32603 Unable to spawn zero.",
    run: async (t) => {
      const wire = await t.open()
      const params = Child.params(wire, { tty: true, params: { arg0: "zero" } })
      Check.contains(await wire.refused("process/start", params, -32603), "Unable to spawn zero", "the message")
    },
  },
  "own-session-and-group": {
    level: "must",
    spec: [137],
    requires: ["procfs", "process-group"],
    says: "A process leads a session and a group of its own, and without tty has no controlling terminal.",
    run: async (t) => {
      const child = await Child.start(await t.open(), { script: "read -r a b c d e f g h < /proc/self/stat; echo $$ $e $f $g" })
      await child.ended()
      const [pid, group, session, tty] = child.text().trim().split(" ")
      Check.equal([group ?? "", session ?? "", tty ?? ""], [pid ?? "", pid ?? "", "0"], "group, session, terminal")
    },
  },
  "stdin-is-empty": {
    level: "must",
    spec: [136],
    says: "Without tty and pipeStdin the input of a process is at its end: cat exits at once.",
    run: async (t) => {
      const end = await (await Child.start(await t.open(), { argv: ["cat"] })).ended()
      Check.equal([end.exitCode, end.closedSeq], [0, 2], "exit code and last seq")
    },
  },
  "pid-is-not-revealed": {
    level: "peer",
    spec: [76],
    says: "The result of a start has the members processId and sandboxType and no others.",
    run: async (t) => {
      const wire = await t.open()
      const result = await wire.ok("process/start", Child.params(wire, {}))
      Check.equal(Object.keys(result).sort(), ["processId", "sandboxType"], "the members of the result")
    },
  },
})
