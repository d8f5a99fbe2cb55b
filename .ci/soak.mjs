// @ts-check
// `npm run lab -- soak`: cuts the connection again and again for ten minutes while three children flood it, and
// compares every byte. `npm run lab -- soak 60 7` plays 60 seconds from seed 7.
import { command } from "./command.mjs"
import { build, install, tool } from "./setup.mjs"

const {
  positionals: [seconds = "600", seed = "1"],
} = command(import.meta.url, { allowPositionals: true })
for (const word of [seconds, seed])
  if (!/^\d+$/.test(word)) {
    process.stderr.write(`soak: not a number: ${word}\n`)
    process.exit(2)
  }
install()
build()
Object.assign(process.env, { PROCWIRE_SOAK_SECONDS: seconds, PROCWIRE_SOAK_SEED: seed })
tool("vitest/vitest.mjs", ["run", "adapters/shared/integration/Soak.test.ts"])
