// @ts-check
// Starts of processes whose output and end are the same each time.
import * as Places from "./places.mjs"
import { exactly } from "./values.mjs"

/**
 * @import { Random } from "../../stress/lib/command.mjs"
 * @import { Members } from "./values.mjs"
 */

const sh = (/** @type {string} */ script, /** @type {string[]} */ ...more) => [
  "/bin/sh",
  "-c",
  script,
  ...more,
]

/** Programs that end by themselves. */
const quick = [
  ["printf", "hello"], ["/usr/bin/printf", "%s,", "a", "b c", "ü"], ["true"], ["false"], ["/bin/pwd"], ["pwd"],
  sh("printf out; printf err >&2"), sh("exit 7"), sh("exit 255"), sh("kill -TERM $$"), sh("kill -KILL $$"),
  sh("kill -SEGV $$"), sh("kill -INT $$"), sh("kill -HUP $$"), sh("printf '%s|' \"$0\" \"$@\"", "x", "", "y z"),
  sh("printf '\\000\\377\\376'"), sh("cat; printf end"), sh("test -t 0 && printf tty"),
  sh("test -t 1 && printf tty; exit 3"), sh("/usr/bin/env | /usr/bin/sort"), sh("umask"), sh("ulimit -c"),
  sh("printf '%s' \"$PWD\""), sh("printf '%s' \"$SHELL\""), sh("printf '%s' \"$TERM\""), sh("stty size 2>&1"),
  sh("/bin/ps -o pid= -o pgid= -o sid= -p $$ | /usr/bin/awk '{ print ($1 == $2), ($2 == $3) }'"),
  sh("/bin/ls -1 /proc/self/fd | /usr/bin/wc -l"),
  sh("exec 1>&-; exit 4"), sh("printf x > made; exit 0"),
  sh("grep -E 'Sig(Blk|Ign)' /proc/self/status"), sh("printf '%s' \"$A$B\""), sh("/usr/bin/seq 1 1500"),
] // prettier-ignore

/** Programs that are found in some way, or not. */
const sought = [
  ["./run.sh"], ["run.sh"], ["bin/tool", "x"], ["./bin/tool"], ["tool"], ["{D}/run.sh"], ["{D}/noexec"], ["./noexec"],
  ["{D}/dir"], ["dir"], ["./dir"], ["{D}/noshebang"], ["noshebang"], ["{D}/none"], ["none"], [""], [], ["/"], ["."],
  [".."], ["./"], ["{D}/a.txt"], ["{D}/dangling"], ["{D}/loop"], ["{D}/run.sh/"], ["{D}/a.txt/x"], ["tr\u0000ue"],
  ["true", "a\u0000b"], ["n".repeat(300)], [`{D}/${"n".repeat(300)}`], ["{D}/fifo"], ["{D}/bin/../run.sh"], ["~"],
  ["run.sh", "$HOME"], [" true"], ["true "], ["TRUE"], ["{D}/n\ufffd"], ["dirlnk/../run.sh"],
] // prettier-ignore

const paths = [
  "/usr/bin:/bin",
  "",
  "{D}",
  "{D}/bin:/bin",
  ".",
  ":/bin",
  "/bin:",
  "{D}/none:/usr/bin",
  "bin:/bin",
  "/none",
]

/** @param {Random} random @returns {unknown} */
const envOf = (random) => {
  const share = random.next()
  if (share < 0.35) return { PATH: "/usr/bin:/bin" }
  if (share < 0.5) return {}
  if (share < 0.7) return { PATH: random.pick(paths), A: "é" }
  if (share < 0.85)
    return random.pick([
      { A: "1", B: "", PATH: "/bin" }, { "": "x" }, { "A=B": "c" }, { A: "x=y" }, { A: "a\u0000b" }, { "A\u0000": "b" },
      { HOME: "{D}" }, { SHELL: "/bin/none" }, { TERM: "dumb" }, { PWD: "/nowhere" }, { CODEX_API_KEY: "k", KEEP: "1" },
      { OPENAI_API_KEY: "k" }, { A: "line\nline" }, { A: "$B", B: "b" }, { LD_LIBRARY_PATH: "" }, { "Ü": "ü" },
      { CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN: "t", KEEP: "2" }, { A: "x".repeat(5000) }, { _: "u", SHLVL: "5" },
    ]) // prettier-ignore
  return random.pick([
    null,
    [],
    1.5,
    "A=1",
    { A: 1 },
    { A: null },
    [["A", "b"]],
    exactly("1.0"),
    true,
    { A: [] },
  ])
}

/** @param {Random} random */
const policyOf = (random) => {
  const policy = {
    inherit: random.pick(["core", "all", "none"]),
    ignoreDefaultExcludes: random.chance(0.5),
    exclude: random.pick([[], ["A*"], ["*"], ["f?o", "SECRET*"], ["[A]*"], [""]]),
    set: random.pick([{}, { A: "set", MY_KEY: "kept" }, { PATH: "/bin" }, { "": "x" }, { A: "a\u0000b" }]),
    includeOnly: random.pick([[], [], ["A", "PATH"], ["FO*", "P*"], ["none"]]),
  }
  if (random.chance(0.15))
    return random.pick([null, {}, [], "all", { ...policy, inherit: "All" }, { ...policy, more: 1 }])
  return policy
}

const unrestricted = { type: "managed", file_system: { type: "unrestricted" }, network: "enabled" }
const sandboxes = [
  null,
  { permissions: { type: "disabled" }, windowsSandboxLevel: "disabled" },
  { permissions: { type: "external", network: "enabled" }, windowsSandboxLevel: "disabled" },
  { permissions: unrestricted, windowsSandboxLevel: "disabled" },
  {},
  { permissions: { type: "disabled" } },
  { permissions: { type: "none" }, windowsSandboxLevel: "disabled" },
  { permissions: {}, windowsSandboxLevel: "disabled" },
  { permissions: { type: "disabled" }, windowsSandboxLevel: "none" },
  { permissions: { type: "disabled" }, windowsSandboxLevel: "disabled", cwd: "{U}" },
  { permissions: { type: "disabled" }, windowsSandboxLevel: "disabled", cwd: "{D}" },
  { permissions: { type: "managed", network: "enabled" }, windowsSandboxLevel: "disabled" },
  { permissions: { type: "disabled" }, windowsSandboxLevel: "disabled", more: 1 },
  [],
  "disabled",
] // prettier-ignore

/** Programs that write more than a chunk: how they are read depends on the borders of chunks. */
export const large = [sh("/usr/bin/head -c 100000 /dev/zero"), sh("/usr/bin/seq 1 30000; exit 9")]

/** What a request may say about a sandbox, without one that restricts. @param {Random} random */
export const sandbox = (random) => random.pick(sandboxes)

const rare = [
  { metadata: {} }, { metadata: null }, { metadata: { threadId: null, toolCallId: "x" } },
  { metadata: { threadId: "x" } },
  { metadata: [] }, { metadata: 1.5 }, { metadata: { threadId: "6f5902ac-237e-4f63-8f1e-8f4d3b5d2a11" } },
  { arg0: null },
  { arg0: "" }, { arg0: "a\u0000b" }, { arg0: 5 }, { arg0: "ü" }, { enforceManagedNetwork: true },
  { managedNetwork: {} },
  { enforceManagedNetwork: null }, { managedNetwork: null }, { managedNetwork: 1.5 }, { managedNetwork: [] },
  { networkProxy: null }, { shellSnapshot: null }, { pipeStdin: null }, { pipeStdin: "yes" }, { tty: null }, { tty: 1 },
  { outputBytesCap: 1 }, { more: { a: [1] } }, { cwd: null }, { cwd: 5 }, { argv: "true" }, { argv: [1] },
  { argv: null },
  { processId: 5 }, { processId: null }, { env: { A: exactly("1e2") } }, { envPolicy: 1.5 }, { networkProxy: {} },
  { shellSnapshot: {} }, { shellSnapshot: 1.5 }, { networkProxy: 1.5 }, { sandbox: 1.5 }, { argv: { 0: "true" } },
] // prettier-ignore

/** Params of a start, in the order of their declaration. @param {Random} random @param {string} processId @returns {Members} */
export const start = (random, processId) => {
  // Under a sandbox the peer starts a helper, and what it cannot start is no error of the request.
  const confined = random.chance(0.08)
  return {
    processId,
    argv: random.pick(confined ? quick.slice(0, 8) : random.chance(0.7) ? quick : sought),
    cwd: confined ? "{U}" : Places.cwd(random),
    env: confined ? { PATH: "/usr/bin:/bin" } : envOf(random),
    tty: !confined && random.chance(0.15),
    ...(!confined && random.chance(0.15) && { envPolicy: policyOf(random) }),
    ...(random.chance(0.1) && { pipeStdin: false }),
    ...(!confined && random.chance(0.08) && { arg0: random.pick(["zero", "-sh", "a b"]) }),
    ...(confined && { sandbox: sandbox(random) }),
    ...(random.chance(0.12) && random.pick(rare)),
  }
}

/** A process that goes on until it is told to end. @param {string} processId @param {string[]} argv @param {boolean} tty */
export const lasting = (processId, argv, tty) => ({
  processId,
  argv,
  cwd: "{U}",
  env: { PATH: "/usr/bin:/bin" },
  tty,
  ...(!tty && { pipeStdin: true }),
})

/** Says when it is ready, and ends on an interrupt with 33. */
export const trapping = sh("trap 'printf got; exit 33' INT; printf ready; while :; do sleep 0.02; done")
