import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { tags } from "./.ci/debian.mjs"
import { Hangs } from "./.ci/hangs.mjs"
import { Sequencer } from "./.ci/sequence.mjs"
import { Tallying } from "./.ci/tally.mjs"

/** The adapters that run on this runtime, whose tests are next to them. */
const adapters =
  "Bun" in globalThis
    ? "{shared,web,bun}"
    : "Deno" in globalThis
      ? "{shared,web,deno}"
      : "{shared,node,web,sandbox}"

/** Files whose tests change nothing that is global, and count nothing that belongs to their whole process. */
const together = [
  "adapters/shared/{audit,auth,confine,directory,files,fleet,host,http,mcp,weblogin}/**/*.test.ts",
  "adapters/shared/{platform,serve,status,systemd,terminal,transport}/**/*.test.ts",
  "adapters/shared/PeerCheck.test.ts",
  "adapters/effect3/**/*.test.ts",
  "adapters/shared/cli/{*/*,KeptProgram,McpCommand,ServeCommand,Shutdown,Telemetry}.test.ts",
  "adapters/shared/cli/{LocalTerminal,TerminalModes}.test.ts",
  "adapters/shared/integration/**/*.test.ts",
  "adapters/shared/process/{GroupAddress,ProcessGroup,ProcessTable,ProgramPath,contain/ProcessTrees}.test.ts",
  "adapters/web/**/*.test.ts",
  "conformance/{report,suite}/**/*.test.ts",
  "conformance/{directory,transport}/broken/*.test.ts",
  "conformance/command/Options.test.ts",
  "conformance/integration/{MemoryTransport,PythonClient}.test.ts",
]

/** The built package whose promises are tested in place of the sources: see `npm run lab -- doors`. */
const { TESTED_PACKAGE: built } = process.env

export default defineConfig({
  // Its errors are those that tests compare with.
  resolve: built === undefined ? {} : { alias: [{ find: /^.*\/ClientError\.ts$/, replacement: built }] },
  test: {
    projects: [
      // Files of these two share workers and loaded modules: to start a worker, and to load a file's modules into it,
      // takes longer than most of their tests.
      {
        extends: true,
        test: {
          name: "core",
          include: ["core/**/*.test.ts"],
          isolate: false,
        },
      },
      { extends: true, test: { name: "together", include: together, isolate: false } },
      {
        extends: true,
        test: {
          name: "runtime",
          include: [`adapters/${adapters}/**/*.test.ts`, "conformance/**/*.test.ts"],
          exclude: ["**/node_modules/**", ...together],
        },
      },
    ],
    sequence: { sequencer: Sequencer },
    reporters: ["default", new Hangs(), new Tallying()],
    // A test has the tags of the programs that it wants beside Node and npm.
    tags,
    // The transformed modules of one project or runtime are read by the others, and by the next run.
    experimental: { fsModuleCache: true },
    // Tests wait for processes more than they compute, so they use every core, and one more. If another runtime's
    // tests run beside them, `.ci/steps.mjs` says how many.
    maxWorkers: Number(process.env["TEST_WORKERS"] ?? availableParallelism() + 1),
    // Only a hang reaches this, on whatever machine. Nothing is repeated: a race is a bug.
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
})
