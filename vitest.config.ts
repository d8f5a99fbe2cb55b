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
      // Pure, so its files may share their workers and what those have loaded.
      { extends: true, test: { name: "core", include: ["core/**/*.test.ts"], isolate: false } },
      {
        extends: true,
        test: {
          name: "runtime",
          include: [`adapters/${adapters}/**/*.test.ts`, "conformance/**/*.test.ts"],
        },
      },
    ],
    // Tests wait for processes more than they compute: as many at once as there are cores.
    maxWorkers: "100%",
    // On a machine that is busy with all of them a process may starve for longer than a deadline of the program itself
    // (500 ms at the end of a connection). What fails twice is wrong.
    retry: 1,
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
