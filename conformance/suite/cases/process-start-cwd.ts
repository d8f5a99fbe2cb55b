/**
 * The `cwd` of `process/start`: a file URI, normalised, that must exist.
 */
import { table } from "../Case.ts"
import * as Check from "../Check.ts"
import * as Child from "../Child.ts"

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
    says:
      "The cwd may be written file:/usr, FILE:///usr, file://localhost/usr, file:///usr/ or " +
      "file:///usr/bin/.., and is normalised.",
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
    says:
      "A cwd that is no file URI is refused with -32602 and the reason before the handshake, by name and by " +
      "position, whatever follows it.",
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
