import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"

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
      // Pure, so its files may share workers and loaded modules.
      { extends: true, test: { name: "core", include: ["core/**/*.test.ts"], isolate: false } },
      {
        extends: true,
        test: {
          name: "runtime",
          include: [`adapters/${adapters}/**/*.test.ts`, "conformance/**/*.test.ts"],
        },
      },
    ],
    // Tests wait for processes more than they compute, so they use every core, and one more.
    maxWorkers: availableParallelism() + 1,
    // Only a hang reaches this, on whatever machine. Nothing is repeated: a race is a bug.
    testTimeout: 300_000,
    hookTimeout: 600_000,
  },
})
