// @ts-check
// Everything there is to run, as one table: the parts of `npm run test:all`, the tests that they own, and the folders
// whose change they judge. A test file that no part owns is played by `npm test`.
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { root } from "./setup.mjs"

/**
 * @typedef {object} Part
 * @property {string} name what `--only` and `--from` take
 * @property {string} says
 * @property {readonly string[]} [tests] the tests that it owns: files, and folders with a slash at their end
 * @property {readonly (readonly string[])[]} [steps] what it runs beside them, each the words behind `node`
 * @property {boolean} [fetches] packages of a registry: Node keeps the authorities that the machine adds
 * @property {readonly string[]} touched the folders and files whose change it judges
 */

const integration = "adapters/shared/integration"
const run = "conformance/lab/run"
const sim = "conformance/lab/simulation"
const faults = "conformance/lab/faults"
const stress = "conformance/lab/stress"

/** The transport suite on what comes with procwire, servers at every kind of address, and two WebSockets as one. */
const transportSuites = [
  ...["LineSuite", "Listening", "SocketSuite", "WebSocketSuite"].map(
    (name) => `${integration}/${name}.test.ts`,
  ),
  "adapters/shared/transport/WebSocketSplice.test.ts",
]

/** @type {readonly Part[]} Those that judge most come first. */
export const parts = [
  {
    name: "usual",
    says: "what `npm test` runs",
    steps: [[".ci/test.mjs"]],
    touched: [],
  },
  {
    name: "check",
    says: "what `npm run check` runs",
    fetches: true,
    steps: [[".ci/check.mjs"]],
    touched: [],
  },
  {
    name: "broken",
    says: "wrong servers, clients, spawners, transports and directories, each of which its suite must notice",
    tests: [
      `${faults}/wire/`,
      "conformance/integration/Clients.test.ts",
      "conformance/command/Unanswered.test.ts",
      "conformance/directory/broken/",
      "conformance/transport/broken/",
      "adapters/node/BrokenSpawners.test.ts",
    ],
    touched: ["conformance/suite/", "conformance/client/", "conformance/spawner/", "conformance/transport/"],
  },
  {
    name: "simulation",
    says: "the whole system in virtual time, from thousands of seeds that change with the commit",
    tests: ["conformance/simulation/", `${sim}/Seeds.test.ts`, `${sim}/Simulation.test.ts`],
    steps: [[`${sim}/main.mjs`, "--of-this-commit", "--seconds", "600", "--jobs", "2"]],
    // No change may fail by a seed that has nothing to do with it: `npm test` plays the fixed ones.
    touched: [],
  },
  {
    name: "keep",
    says: "processes that outlive their server: the holder, the spawner suite on it, servers that are killed under clients",
    tests: [
      "adapters/shared/keep/HeldSuite.test.ts",
      "adapters/shared/keep/Holder.test.ts",
      "adapters/shared/keep/HolderProcess.test.ts",
      `${integration}/Keep.test.ts`,
      `${integration}/OwnKeep.test.ts`,
    ],
    steps: ["node", "bun", "deno"].map((on) => [
      `${stress}/main.mjs`,
      "keep",
      "--rounds",
      "3",
      "--runtime",
      on,
    ]),
    touched: ["adapters/shared/keep/", "adapters/shared/cli/server/", "core/features/keep/", "core/spawn/"],
  },
  {
    name: "commands",
    says: "the commands for people and agents that take longest to try",
    tests: [
      "adapters/shared/cli/KeptProgram.test.ts",
      "adapters/shared/cli/McpCommand.test.ts",
      "adapters/shared/cli/McpEnd.test.ts",
      "adapters/shared/cli/Shutdown.test.ts",
      "adapters/shared/cli/Telemetry.test.ts",
      "adapters/shared/platform/RemoteCommands.test.ts",
      "adapters/shared/start/Early.test.ts",
      "conformance/command/Command.test.ts",
      "conformance/integration/Start.test.ts",
      ...[
        "AgentWaits",
        "Audit",
        "Command",
        "Deadlines",
        "History",
        "Web",
        "AuditDisk",
        "Configuration",
        "Control",
        "Copy",
        "Doctor",
        "Events",
        "HalfOpen",
        "Idle",
        "Limits",
        "ManyWaits",
        "OwnServer",
        "Recordings",
        "Renewal",
        "Restart",
        "RunSignals",
        "Scopes",
        "WaitEvidence",
      ].map((name) => `${integration}/${name}.test.ts`),
    ],
    touched: [
      "adapters/shared/cli/",
      "adapters/shared/serve/",
      "adapters/shared/start/",
      "adapters/node/",
      `${integration}/`,
    ],
  },
  {
    name: "words",
    says: "the words of the commands: names, habits, help and errors, and the shell of agents, command by command",
    tests: [
      "BackgroundProcesses",
      "BashTool",
      "EachCommand",
      "Habits",
      "RunPlaces",
      "SeveralNames",
      "Shell",
      "ShellInit",
      "Spawners",
      "Token",
      "UserWords",
      "WrongUse",
    ].map((name) => `${integration}/${name}.test.ts`),
    touched: ["adapters/shared/cli/", "adapters/shared/mcp/", "core/agent/"],
  },
  {
    name: "clients",
    says: "what programs do with a client: `$`, options, mistakes, tools of agents and vendors, files and requests of Effect",
    tests: [
      "adapters/effect3/",
      "adapters/shared/http/NodeHttpClient.test.ts",
      "adapters/shared/mcp/Resources.test.ts",
      "adapters/shared/platform/RemoteFileSystem.test.ts",
      ...["AgentTools", "ClientMistakes", "ClientOptions", "Dollar", "VendorTools"].map(
        (name) => `${integration}/${name}.test.ts`,
      ),
    ],
    touched: [
      "adapters/effect3/",
      "adapters/shared/http/",
      "adapters/shared/mcp/",
      "adapters/shared/platform/",
      "core/agent/",
      "core/client/",
    ],
  },
  {
    name: "transports",
    says: "the transport suite on lines, sockets, TLS and WebSocket, and servers there, on Node, Bun and Deno",
    tests: [...transportSuites, "adapters/web/WebSocketTransport.test.ts"],
    steps: ["bun", "deno"].map((runtime) => [".ci/test.mjs", "--on", runtime, ...transportSuites]),
    touched: [
      "adapters/shared/transport/",
      "adapters/web/WebSocketTransport.ts",
      "conformance/transport/",
      "core/transport/",
    ],
  },
  {
    name: "terminals",
    says: "programs in a terminal that a person holds, or that answers for one: tmux, vim, htop, less",
    tests: [
      "adapters/shared/terminal/Repaint.test.ts",
      `${integration}/Answers.test.ts`,
      `${integration}/EgressAsk.test.ts`,
      `${integration}/ScreenPrograms.test.ts`,
      `${integration}/Tmux.test.ts`,
      `${integration}/TmuxPrograms.test.ts`,
      `${integration}/TopSizes.test.ts`,
    ],
    touched: ["adapters/shared/terminal/", "adapters/shared/cli/", "core/features/screen/"],
  },
  {
    name: "suites",
    says: "the suites on what is not the usual: the PTY of a package, limits, wrapped spawners, memory",
    tests: [
      "adapters/sandbox/Wrap.test.ts",
      "adapters/shared/process/PortableSpawner.test.ts",
      "conformance/integration/OwnServer.test.ts",
      "conformance/spawner/SpawnerRunner.test.ts",
      "conformance/integration/SeamReadmes.test.ts",
      `${integration}/ContainInProcess.test.ts`,
      `${integration}/SpawnerLimits.test.ts`,
    ],
    touched: ["conformance/spawner/", "conformance/seam/", "adapters/shared/process/"],
  },
  {
    name: "sandboxes",
    says: "the spawner suite and the wire suite in bubblewrap, podman, ssh and the sandboxes of the READMEs",
    tests: [
      "adapters/node/Container.test.ts",
      "adapters/sandbox/Bubblewrap.test.ts",
      "conformance/integration/BuiltInSpawners.test.ts",
      "conformance/integration/ReadmeSpawners.test.ts",
      `${integration}/Confine.test.ts`,
      `${integration}/Containers.test.ts`,
      `${integration}/EgressEscapes.test.ts`,
      "adapters/shared/egress/Injection.test.ts",
      "adapters/shared/egress/namespace/Outlets.test.ts",
      `${integration}/EgressPrograms.test.ts`,
      `${integration}/EgressSecrets.test.ts`,
      `${integration}/ProcessPort.test.ts`,
      "conformance/integration/EgressCases.test.ts",
      `${integration}/Escapes.test.ts`,
    ],
    touched: [
      "adapters/sandbox/",
      "adapters/shared/confine/",
      "adapters/shared/egress/",
      "adapters/shared/port/",
      "adapters/shared/serve/",
      "core/spawn/",
    ],
  },
  {
    name: "hosts",
    says: "other machines: ssh, fleets, their directories in PostgreSQL and NATS",
    tests: [
      "adapters/shared/directory/NatsDirectory.test.ts",
      "adapters/shared/directory/PostgresDirectory.test.ts",
      "adapters/sandbox/RemoteScripts.test.ts",
      "adapters/shared/fleet/",
      `${integration}/Hosts.test.ts`,
      `${integration}/Ssh.test.ts`,
      `${integration}/Systemd.test.ts`,
    ],
    touched: ["adapters/shared/fleet/", "adapters/shared/directory/", "core/fleet/", "core/directory/"],
  },
  {
    name: "page",
    says: "the page for browsers, in Chromium",
    tests: ["conformance/integration/Web.test.ts", "conformance/lab/web/"],
    touched: ["adapters/web/", "adapters/shared/weblogin/"],
  },
  {
    name: "package",
    says: "the package: installed by each manager, in vite and Next.js, its types for old compilers, the API reference, JSR, Deno",
    fetches: true,
    tests: ["Bundlers", "Declarations", "Installs", "Package", "WithoutPeers"].map(
      (name) => `conformance/integration/${name}.test.ts`,
    ),
    steps: [[".ci/check.mjs", "types-of-exports", "docs", "jsr", "deno"]],
    touched: ["package.json", ".ci/"],
  },
  {
    name: "languages",
    says: "clients, servers, types and documents for other languages, and every message held against the JSON Schema",
    tests: ["ErrorTexts", "PythonClient", "PythonServer", "Schema"].map(
      (name) => `conformance/integration/${name}.test.ts`,
    ),
    steps: [[`${run}/schema.mjs`]],
    touched: ["core/protocol/", "conformance/clients/", "conformance/targets/python/"],
  },
  ...["bun", "deno"].flatMap((runtime) =>
    ["1/3", "2/3", "3/3"].map((third) => ({
      name: `${runtime}-${third[0]}`,
      says: `the tests of core and adapters on ${runtime === "bun" ? "Bun" : "Deno"}, ${third} of the files`,
      steps: [[".ci/test.mjs", "--on", runtime, "core", "adapters", `--shard=${third}`]],
      touched: [`adapters/${runtime}/`, "adapters/shared/runtime/", "adapters/shared/process/"],
    })),
  ),
  {
    name: "support",
    says: "the spawner suite and the wire suite on every runtime and line of Node, over every transport",
    fetches: true,
    steps: [[`${run}/support.mjs`, "--check"]],
    touched: ["adapters/shared/transport/", "core/rpc/", "core/transport/"],
  },
  {
    name: "stress",
    says: "crowds, floods, kills at random, fuzzed messages, reused pids, endless histories",
    tests: [
      `${stress}/`,
      `${integration}/ManyBytes.test.ts`,
      `${integration}/ProcessCredit.test.ts`,
      `${integration}/Server.test.ts`,
      `${integration}/Soak.test.ts`,
      "core/integration/LostConnections.test.ts",
    ],
    touched: ["core/server/", "core/process/", "adapters/shared/process/"],
  },
  {
    name: "faults",
    says: "whether the faults that are planted into the sources still apply: `npm run lab -- faults` plays them",
    tests: [`${faults}/`],
    steps: [[`${faults}/main.mjs`, "--check"]],
    touched: [`${faults}/`],
  },
  {
    name: "peer",
    says: "Codex: its server in the suite, and its client in the cases for clients",
    fetches: true,
    steps: [[`${run}/codex.mjs`], [`${run}/codex.mjs`, "--client"]],
    touched: [],
  },
  ...["ws", "stdio"].map((over) => ({
    name: `peer-${over}`,
    says: `Codex: its client on our server over ${over}`,
    fetches: true,
    // One step: the client has a time limit of its own for the start of a server.
    steps: [["conformance/lab/real-client/main.mjs", "--over", over]],
    touched: ["conformance/lab/real-client/"],
  })),
  {
    name: "single-bun",
    says: "the suite on the executable of Bun, alone in an empty folder; starts on stdio, cut at every byte",
    steps: [[`${run}/single.mjs`, "bun"]],
    tests: ["adapters/shared/start/Handover.test.ts"],
    touched: [".ci/bun.mjs"],
  },
  {
    name: "single-deno",
    says: "the suite on the executable of Deno, alone in an empty folder",
    steps: [[`${run}/single.mjs`, "deno"]],
    touched: [".ci/deno.mjs"],
  },
  {
    name: "bench",
    says: "the commands of the bench, on a few processes",
    fetches: true,
    tests: ["conformance/lab/bench/"],
    touched: ["conformance/lab/bench/"],
  },
]

/** @param {string} file @param {readonly string[]} places */
export const isIn = (file, places) =>
  places.some((place) => (place.endsWith("/") ? file.startsWith(place) : file === place))

/** Every test file that git knows, or will know. */
const testFiles = () =>
  execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.test.ts"], {
    cwd: root,
    encoding: "utf8",
  })
    .split("\n")
    .filter((file) => file !== "" && existsSync(`${root}${file}`))

/** The part that owns a file: the one that names it most exactly. @param {string} file */
const ownerOf = (file) => {
  const places = parts.flatMap(({ name, tests = [] }) =>
    tests.filter((place) => isIn(file, [place])).map((place) => ({ name, place })),
  )
  return places.toSorted((a, b) => b.place.length - a.place.length)[0]?.name
}

/** The test files that a part owns. @param {string} name */
export const filesOf = (name) => testFiles().filter((file) => ownerOf(file) === name)

/** Those that no part owns. */
export const usualFiles = () => testFiles().filter((file) => ownerOf(file) === undefined)

/** Tests that depend on the runtime: on its treatment of bytes and texts, and on all that adapters ask it for. */
const ofRuntimes = [
  ...["Base64Bytes", "Bytes", "CutText", "Json", "Message", "PathUri", "Sha256", "dialect/Output"].map(
    (name) => `core/protocol/${name}.test.ts`,
  ),
  "core/transport/Framing.test.ts",
  "core/features/egress/Rules.test.ts",
  "adapters/shared/egress/",
  "adapters/shared/files/",
  "adapters/shared/host/",
  "adapters/shared/process/",
  "adapters/shared/transport/",
  ...[
    "ClientFiles",
    "ClosingEnds",
    "EgressServe",
    "GivingUp",
    "HalfCharacters",
    "LocalStreams",
    "Orphans",
    "RunInput",
    "Serve",
    "StartFailure",
    "WebStreams",
  ].map((name) => `${integration}/${name}.test.ts`),
]

/** The files that `npm test` plays on Bun and Deno. @param {"bun" | "deno"} runtime */
export const filesOn = (runtime) =>
  usualFiles().filter((file) => isIn(file, [...ofRuntimes, `adapters/${runtime}/`]))
