/**
 * The `sandbox` object of `process/start`: what decodes, and that no process runs without the confinement it asks for.
 */
import { randomUUID } from "node:crypto"
import { Check, Child, table, type Json, type JsonObject, type Wire } from "../Vocabulary.ts"
import { readOnly } from "../Manifest.ts"

const level = { windowsSandboxLevel: "disabled" }

export const managed = (fileSystem: Json, network = "enabled"): JsonObject => ({
  permissions: { type: "managed", file_system: fileSystem, network },
  ...level,
})

/** Profiles that ask for no confinement. */
const free: ReadonlyArray<JsonObject> = [
  { permissions: { type: "disabled" }, ...level },
  { permissions: { type: "external", network: "enabled" }, ...level },
  managed({ type: "unrestricted" }),
]

/** Profiles for a sandbox that only Windows has. */
const mxc = free.map((sandbox) => ({ ...sandbox, windowsSandboxLevel: "mxc" }))
const noMxc = "native MXC is unavailable on this executor"

const begin = (wire: Wire, id: string, sandbox: JsonObject, script: string) =>
  wire.begin("process/start", Child.params(wire, { id, script, params: { sandbox } }))

export const processSandbox = table("process/sandbox", {
  "incomplete-object-refused": {
    spec: [179, "b72"],
    says: `A sandbox without permissions, without windowsSandboxLevel, or managed without file_system, is
      refused with -32602 and a text that names what is missing.`,
    play: async (wire) => {
      const faults: ReadonlyArray<readonly [JsonObject, string]> = [
        [{}, "permissions"],
        [{ permissions: { type: "disabled" } }, "windowsSandboxLevel"],
        [{ permissions: { type: "managed", network: "enabled" }, ...level }, "file_system"],
      ]
      for (const [sandbox, name] of faults) {
        const params = Child.params(wire, { params: { sandbox } })
        Check.contains(await wire.refused("process/start", params, -32602), name, "the text")
      }
    },
  },
  "unknown-kinds-refused": {
    spec: [179],
    says: `Unknown types of permissions, of file_system or of windowsSandboxLevel are refused with -32602:
      nothing runs under a profile that the server does not understand.`,
    play: async (wire) => {
      const faults = [
        { permissions: { type: "zzz" }, ...level },
        managed({ type: "zzz" }),
        managed({ type: "unrestricted" }, "zzz"),
        { permissions: { type: "disabled" }, windowsSandboxLevel: "zzz" },
      ]
      for (const sandbox of faults) {
        await wire.refused("process/start", Child.params(wire, { params: { sandbox } }), -32602)
      }
    },
  },
  "free-profiles-run": {
    spec: ["b74"],
    says: "Processes with the profiles disabled, external, and managed/unrestricted with network run and may write.",
    play: async (wire) => {
      for (const sandbox of free) {
        const script = 'f=$(mktemp /tmp/procwire.XXXXXX) && rm "$f" && echo ran'
        const child = await Child.start(wire, { script, params: { sandbox } })
        Check.equal((await child.ended()).exitCode, 0, `the exit code under ${Check.show(sandbox)}`)
        Check.equal(child.text(), "ran\n", "the output")
      }
    },
  },
  "type-of-the-peer": {
    level: "peer",
    spec: [180],
    says: "Any sandbox object, even disabled, gives sandboxType linuxSeccomp.",
    play: async (wire) => {
      for (const [index, sandbox] of free.entries()) {
        const { result } = await begin(wire, `p${index}`, sandbox, ":")
        Check.equal(Check.object(result, "the result")["sandboxType"], "linuxSeccomp", "sandboxType")
      }
    },
  },
  "foreign-path-refused": {
    level: "should",
    says: `A path of another host as cwd or as a workspace root of a sandbox is refused with -32602, even
      where the profile is disabled; so is any path with %00 in it. An empty argv is told before the first,
      after the second.`,
    play: async (wire) => {
      const foreign = "file://elsewhere/x"
      const nul = "file:///a%00b"
      const [disabled] = free
      const refusal = (sandbox: JsonObject, more: JsonObject = {}) =>
        wire.refused(
          "process/start",
          Child.params(wire, { params: { sandbox: { ...disabled, ...sandbox }, ...more } }),
          -32602,
        )
      for (const uri of [foreign, nul]) {
        await refusal({ cwd: uri })
        await refusal({ workspaceRoots: [uri] })
        await refusal({ policyContext: { cwd: uri } })
      }
      await refusal({ userHomeDir: nul })
      Check.contains(await refusal({ cwd: foreign }, { argv: [] }), "argv", "the text for a foreign cwd")
      Check.lacks(await refusal({ cwd: nul }, { argv: [] }), "argv", "the text for %00")
    },
  },
  "foreign-path-texts-of-the-peer": {
    level: "peer",
    says: "The texts for paths of another host in a sandbox, and their order, are those of Codex.",
    play: async (wire) => {
      const uri = "file:///C:/x"
      const [disabled] = free
      const entry = { path: { type: "path", path: uri }, access: "read" }
      const profile = managed({ type: "restricted", entries: [entry] })
      const texts: ReadonlyArray<readonly [string, JsonObject]> = [
        ["invalid sandbox permission path: ", { sandbox: profile }],
        ["invalid sandbox workspace root: ", { sandbox: { ...profile, workspaceRoots: [uri] } }],
        ["invalid sandbox policy cwd: ", { sandbox: { ...profile, workspaceRoots: [uri], cwd: uri } }],
        ["invalid sandbox policy cwd: ", { sandbox: disabled ?? {}, cwd: uri }],
        [
          `command cwd URI \`${uri}\` is not valid on this host: `,
          { sandbox: { ...disabled, cwd: "file:///tmp" }, cwd: uri },
        ],
      ]
      for (const [text, params] of texts) {
        const whole = `failed to prepare process sandbox: ${text}'${uri}' is invalid on 'linux'`
        await wire.refused("process/start", Child.params(wire, { params }), -32602, whole)
      }
    },
  },
  "failed-preparation-has-a-kind": {
    peers: ["0.171"],
    says: "A start whose sandbox names a path of another host is refused with -32602 and the kind sandboxPreparation.",
    play: async (wire) => {
      const [disabled] = free
      const sandbox = { ...disabled, workspaceRoots: ["file:///C:/x"] }
      const { error } = await begin(wire, "p", sandbox, ":")
      if (error === undefined) return Check.fail("the start had to be refused")
      Check.equal(error.code, -32602, "the code")
      Check.equal(error.data, { kind: "sandboxPreparation" }, "the data")
    },
  },
  "native-mxc-refused": {
    level: "should",
    says: `A start whose sandbox has the windowsSandboxLevel mxc is refused with -32602 and native MXC is
      unavailable on this executor, whatever else is wrong with it.`,
    play: async (wire) => {
      for (const sandbox of mxc) {
        for (const params of [{}, { argv: [] }, { cwd: "file://elsewhere/x" }]) {
          const whole = Child.params(wire, { params: { sandbox, ...params } })
          await wire.refused("process/start", whole, -32602, noMxc)
        }
      }
    },
  },
  "native-mxc-has-a-kind": {
    peers: ["0.171"],
    says: "Where the windowsSandboxLevel mxc is refused, the error has the kind sandboxUnavailable.",
    play: async (wire) => {
      for (const sandbox of mxc) {
        const { error } = await begin(wire, "p", sandbox, ":")
        Check.equal(error?.data, { kind: "sandboxUnavailable" }, "the data")
      }
    },
  },
  "any-sandbox-has-a-type": {
    level: "should",
    spec: [180],
    says: "A start with a sandbox object, also one that asks for no confinement, has a sandboxType other than none.",
    play: async (wire) => {
      for (const [index, sandbox] of free.entries()) {
        const { result } = await begin(wire, `p${index}`, sandbox, ":")
        const type = Check.text(Check.object(result, "the result")["sandboxType"], "sandboxType")
        Check.isTrue(type !== "none", `sandboxType is none under ${Check.show(sandbox)}`)
      }
    },
  },
  "no-sandbox-has-the-type-none": {
    spec: [76],
    says: "A start without a sandbox, or with null, gives sandboxType none.",
    play: async (wire) => {
      for (const params of [{}, { sandbox: null }]) {
        const result = await wire.ok("process/start", Child.params(wire, { params }))
        Check.equal(result["sandboxType"], "none", "sandboxType")
      }
    },
  },
  // guards: confine-floor
  "never-runs-unconfined": {
    spec: [180, "b73"],
    says: "A process with a read-only profile is either refused, or runs and cannot write; it never runs unconfined.",
    play: async (wire) => {
      const { error } = await begin(
        wire,
        "p",
        readOnly,
        'f=$(mktemp /tmp/procwire.XXXXXX) && echo "wrote $f" && rm "$f"',
      )
      if (error !== undefined) {
        Check.equal(error.code, -32602, `the code of the refusal ("${error.message}")`)
        Check.equal(Child.attach(wire, "p").events().length, 0, "notifications of a refused process")
        return
      }
      const child = Child.attach(wire, "p")
      await child.ended()
      Check.lacks(child.text("stdout"), "wrote", "the output of the process")
    },
  },
  "read-only-runs": {
    spec: [180],
    requires: ["sandbox"],
    says: `A process with a read-only profile runs and reads, and the system refuses its write; sandboxType
      names the confinement.`,
    play: async (wire) => {
      const name = `procwire-${randomUUID()}`
      const script = `cat /etc/passwd >/dev/null && echo read; (: >/tmp/${name}) || echo refused`
      const { result } = await begin(wire, "p", readOnly, script)
      const { sandboxType } = Check.object(result, "the result of process/start")
      Check.isTrue(sandboxType !== "none", "sandboxType is none")
      const child = Child.attach(wire, "p")
      await child.ended()
      Check.equal(child.text("stdout"), "read\nrefused\n", "the output")
      Check.equal(await outside(wire, `ls /tmp/${name}; rm -f /tmp/${name}`), "", "what was written")
    },
  },
  "denial-is-told": {
    spec: [181],
    requires: ["sandbox"],
    says: `A process under a profile that allows nothing fails, and both process/exited and process/read
      have sandboxDenied true.`,
    play: async (wire) => {
      const nothing = managed({ type: "restricted", entries: [] }, "restricted")
      const { error } = await begin(wire, "p", nothing, "echo ran")
      Check.equal(error?.message ?? null, null, "an error of process/start")
      const child = Child.attach(wire, "p")
      const { exitCode, events } = await child.ended()
      Check.isTrue(exitCode !== 0, "the exit code is 0")
      const exited = events.find(({ kind }) => kind === "exited")
      Check.equal(exited?.params["sandboxDenied"], true, "sandboxDenied in process/exited")
      Check.equal((await child.read())["sandboxDenied"], true, "sandboxDenied in process/read")
    },
  },
})

/** The output of a script that runs without a sandbox. */
export const outside = async (wire: Wire, script: string): Promise<string> => {
  const child = await Child.run(wire, { script })
  return child.text("stdout")
}
