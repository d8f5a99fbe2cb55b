/**
 * `process/start`: required, optional and unknown params, and which ids are free. The `cwd` of `process/start`: a
 * file URI, normalised, that must exist.
 */
import { Check, Child, table } from "../Vocabulary.ts"

export const start = table("process/start", {
  "missing-field-is-named": {
    spec: [75],
    says: `A start without processId, argv, cwd, env or tty is refused with -32602 and a message that names
      the missing one.`,
    play: async (wire) => {
      for (const field of ["processId", "argv", "cwd", "env", "tty"]) {
        const { [field]: _, ...rest } = Child.params(wire, {})
        Check.contains(
          await wire.refused("process/start", rest, -32602),
          field,
          `the message without ${field}`,
        )
      }
    },
  },
  "five-fields-are-enough": {
    spec: [76],
    says: 'A start with processId, argv, cwd, env and tty returns the processId and sandboxType "none".',
    play: async (wire) => {
      const result = await wire.ok("process/start", Child.params(wire, { id: "five" }))
      Check.has(result, { processId: "five", sandboxType: "none" }, "the result")
    },
  },
  "null-booleans-refused": {
    spec: [87],
    says: "tty, pipeStdin or enforceManagedNetwork with the value null are refused with -32602.",
    play: async (wire) => {
      for (const field of ["tty", "pipeStdin", "enforceManagedNetwork"]) {
        await wire.refused("process/start", Child.params(wire, { params: { [field]: null } }), -32602)
      }
    },
  },
  "null-options-accepted": {
    spec: [88],
    says: "arg0, envPolicy, sandbox, managedNetwork, networkProxy, shellSnapshot and metadata may be null.",
    run: async (t) => {
      const nulls = [
        "arg0",
        "envPolicy",
        "sandbox",
        "managedNetwork",
        "networkProxy",
        "shellSnapshot",
        "metadata",
      ]
      const params = Object.fromEntries(nulls.map((name) => [name, null]))
      await (await Child.start(await t.open(), { params })).ended()
    },
  },
  "unknown-fields-ignored": {
    spec: [89],
    says: "Unknown fields of a start, such as outputBytesCap or size, are ignored.",
    run: async (t) => {
      const params = { outputBytesCap: 1, size: { rows: 1, cols: 1 }, zzz: null }
      await (await Child.start(await t.open(), { params })).ended()
    },
  },
  "wrong-types-refused": {
    says: "A start with a field of the wrong type is refused with -32602.",
    play: async (wire) => {
      const wrong = {
        processId: 1,
        argv: "ls",
        cwd: 5,
        env: [],
        tty: "no",
        pipeStdin: 1,
        arg0: 5,
        envPolicy: 5,
      }
      for (const [field, value] of Object.entries(wrong)) {
        await wire.refused("process/start", Child.params(wire, { params: { [field]: value } }), -32602)
      }
      await wire.refused("process/start", Child.params(wire, { params: { argv: ["ls", 1] } }), -32602)
      await wire.refused("process/start", Child.params(wire, { params: { env: { A: 1 } } }), -32602)
    },
  },
  "running-id-refused": {
    spec: [90],
    says: `A start with the id of a running process is refused with -32600 and the text process ID already
      exists; the running process goes on.`,
    play: async (wire) => {
      const child = await Child.start(wire, { id: "dup", script: "read x; exit 9", pipeStdin: true })
      await wire.refused(
        "process/start",
        Child.params(wire, { id: "dup" }),
        -32600,
        "process dup already exists",
      )
      await child.write("go\n")
      Check.equal((await child.ended()).exitCode, 9, "the exit code of the first process")
    },
  },
  "retained-id-refused": {
    spec: [91],
    says: `A start with the id of a process that has just closed is refused like one with the id of a
      running process.`,
    play: async (wire) => {
      await (await Child.start(wire, { id: "dup" })).ended()
      await wire.refused(
        "process/start",
        Child.params(wire, { id: "dup" }),
        -32600,
        "process dup already exists",
      )
    },
  },
  "any-text-is-an-id": {
    spec: [92],
    says: `An id may be any string and comes back unchanged: with quotes, newlines or characters outside
      ASCII, empty, or 5000 characters long.`,
    play: async (wire) => {
      for (const id of [
        'a"b\\c',
        "line\nbreak\t",
        "zwölf-\u{1F600}",
        "",
        "x".repeat(5000),
        "__proto__",
        "constructor",
      ]) {
        const child = await Child.start(wire, { id })
        Check.equal((await child.ended()).closedSeq, 2, `the last seq of ${JSON.stringify(id.slice(0, 20))}`)
        await wire.refused(
          "process/start",
          Child.params(wire, { id }),
          -32600,
          `process ${id} already exists`,
        )
      }
    },
  },
  "racing-starts-one-wins": {
    spec: [164],
    says: `Of two starts with the same id that are sent without waiting, exactly one succeeds and the other
      is refused with -32600.`,
    play: async (wire) => {
      for (let round = 0; round < 10; round++) {
        const params = Child.params(wire, { id: `race-${round}` })
        const replies = await Promise.all([
          wire.begin("process/start", params),
          wire.begin("process/start", params),
        ])
        const codes = replies.map(({ error }) => error?.code ?? 0).sort((a, b) => a - b)
        Check.equal(codes, [-32600, 0], `the codes of round ${round + 1}`)
        Check.equal((await Child.attach(wire, `race-${round}`).ended()).closedSeq, 2, "the last seq")
      }
    },
  },
  "pid-is-not-revealed": {
    level: "peer",
    spec: [76],
    says: "The result of a start has the members processId and sandboxType and no others.",
    play: async (wire) => {
      const result = await wire.ok("process/start", Child.params(wire, {}))
      Check.equal(Object.keys(result).sort(), ["processId", "sandboxType"], "the members of the result")
    },
  },
})

const noFile = "No such file or directory (os error 2)"

export const startCwd = table("process/start", {
  "cwd-relative-or-empty-refused": {
    spec: [77],
    says: "A start with the cwd tmp, ./tmp or an empty text is refused with -32602.",
    play: async (wire) => {
      for (const cwd of ["tmp", "./tmp", ""]) {
        await wire.refused("process/start", Child.params(wire, { params: { cwd } }), -32602)
      }
    },
  },
  "cwd-plain-path-refused": {
    level: "peer",
    spec: [77],
    says: "A start with the cwd /tmp, a plain path, is refused with -32602 and the text of Codex.",
    play: async (wire) => {
      const params = Child.params(wire, { params: { cwd: "/tmp" } })
      await wire.refused("process/start", params, -32602, "invalid URI: relative URL without a base")
    },
  },
  "cwd-file-uri": {
    spec: [78],
    says: "The cwd file:///usr is where the process starts; percent-encoding is decoded.",
    play: async (wire) => {
      for (const cwd of ["file:///usr", "file:///%75sr"]) {
        const child = await Child.run(wire, { script: "pwd -P", params: { cwd } })
        Check.equal(child.text(), "/usr\n", `the working directory for ${cwd}`)
      }
    },
  },
  "cwd-uri-variants": {
    level: "should",
    spec: [78],
    says: `The cwd may be written file:/usr, FILE:///usr, file://localhost/usr, file:///usr/ or
      file:///usr/bin/.., and is normalised.`,
    play: async (wire) => {
      for (const cwd of [
        "file:/usr",
        "FILE:///usr",
        "file://localhost/usr",
        "file:///usr/",
        "file:///tmp/../usr",
      ]) {
        const child = await Child.run(wire, { argv: ["/bin/pwd", "-P"], params: { cwd } })
        Check.equal(child.text(), "/usr\n", `the working directory for ${cwd}`)
      }
    },
  },
  "cwd-of-any-bytes": {
    level: "should",
    spec: [78],
    says: "The cwd may be a folder whose name is not UTF-8, such as %FF%FE; one that does not exist is refused with -32603.",
    play: async (wire) => {
      const script =
        'd=$(mktemp -d /tmp/procwire.XXXXXX) && mkdir "$d/$(printf "\\377\\376")" && printf %s "$d"'
      const made = await Child.run(wire, { script })
      const folder = `file://${made.text()}`
      const child = await Child.run(wire, { script: "pwd", params: { cwd: `${folder}/%FF%FE` } })
      const name = Buffer.from([0xff, 0xfe, 0x0a])
      Check.equal(
        child.bytes().subarray(-3).toString("hex"),
        name.toString("hex"),
        "the end of the output of pwd",
      )
      const missing = Child.params(wire, { params: { cwd: `${folder}/%FF` } })
      await wire.refused("process/start", missing, -32603, noFile)
      await (await Child.start(wire, { argv: ["rm", "-r", made.text()] })).ended()
    },
  },
  "cwd-other-uris-refused": {
    spec: [79],
    says: "A cwd with another scheme, a query, a fragment, a remote host or a drive letter is refused with -32602.",
    play: async (wire) => {
      const faults = [
        "http://x/tmp",
        "file:///tmp?x",
        "file:///tmp#f",
        "file://otherhost/tmp",
        "file:///C:/x",
      ]
      for (const cwd of faults) {
        await wire.refused("process/start", Child.params(wire, { params: { cwd } }), -32602)
      }
    },
  },
  "cwd-texts-of-the-peer": {
    level: "peer",
    spec: [79],
    says: "Refused working directories have the exact texts of Codex.",
    play: async (wire) => {
      const texts = {
        "http://x/tmp": "unsupported path URI scheme `http`",
        "file:///tmp?x": "query parameters are not allowed in path URIs",
        "file:///tmp#f": "fragments are not allowed in path URIs",
        "file:///a%00b": "'file:///a%00b' is invalid on 'linux'",
        "C::": "unsupported path URI scheme `c`",
        "file:///C:/x":
          "cwd URI `file:///C:/x` is not valid on this exec-server host: 'file:///C:/x' is invalid on 'linux'",
        " file:c|/a b":
          "cwd URI `file:///C:/a%20b` is not valid on this exec-server host: 'file:///C:/a%20b' is invalid on 'linux'",
      }
      for (const [cwd, text] of Object.entries(texts)) {
        await wire.refused("process/start", Child.params(wire, { params: { cwd } }), -32602, text)
      }
    },
  },
  "cwd-judged-while-decoding": {
    level: "should",
    spec: [79],
    says: `A cwd that is no file URI is refused with -32602 and the reason before the handshake, by name and
      by position, whatever follows it.`,
    run: async (t) => {
      const faults: ReadonlyArray<readonly [string, string]> = [
        ["tmp", "relative URL"],
        ["http://x/tmp", "scheme"],
        ["file:///tmp?x", "query"],
      ]
      const early = await t.connect()
      const wire = await t.open()
      for (const [cwd, reason] of faults) {
        const named = Child.params(wire, { params: { cwd, tty: 5 } })
        for (const params of [
          named,
          ["p", null, ["true"], cwd],
          ["p", null, ["true"], cwd, null, null, null],
        ])
          for (const on of [early, wire])
            Check.contains(await on.refused("process/start", params, -32602), reason, "the text")
      }
    },
  },
  "cwd-missing-refused": {
    spec: [80],
    says: "A cwd that does not exist, or is a file, is refused with -32603 and the text and number of the OS error.",
    play: async (wire) => {
      const at = (cwd: string) => Child.params(wire, { params: { cwd } })
      await wire.refused("process/start", at("file:///no/such/folder"), -32603, noFile)
      await wire.refused("process/start", at("file:///etc/passwd"), -32603, "Not a directory (os error 20)")
    },
  },
  "cwd-missing-refused-with-tty": {
    level: "should",
    requires: ["pty"],
    says: "A start with tty and a cwd that does not exist is refused with -32603.",
    play: async (wire) => {
      const params = Child.params(wire, { tty: true, params: { cwd: "file:///no/such/folder" } })
      await wire.refused("process/start", params, -32603)
    },
  },
})
