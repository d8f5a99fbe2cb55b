import { defineConfig } from "vitest/config"

/**
 * How often a test may be repeated where time is real: a busy machine can starve a process for longer than a deadline
 * of the program (500 ms at the end of a connection). A test that needs it is a race: this is to become 0.
 */
const retriesInRealTime = 1

/** The adapters that run on this runtime, whose tests are next to them. */
const adapters =
  "Bun" in globalThis
    ? "{shared,web,bun}"
    : "Deno" in globalThis
      ? "{shared,web,deno}"
      : "{shared,node,web,sandbox}"

export default defineConfig({
  test: {
    projects: [
      // Pure, so its files may share workers and loaded modules; its time is virtual, so nothing is repeated.
      { extends: true, test: { name: "core", include: ["core/**/*.test.ts"], isolate: false } },
      {
        extends: true,
        test: {
          name: "runtime",
          retry: retriesInRealTime,
          include: [`adapters/${adapters}/**/*.test.ts`, "conformance/**/*.test.ts"],
        },
      },
    ],
    // Tests wait for processes more than they compute, so they use every core.
    maxWorkers: "100%",
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
