// `npm run soak`: ten minutes of cut connections under three flooding children, every byte compared. `npm run soak -- 60 7`
// plays 60 seconds from the seed 7.
import { build, install, tool } from "./setup.mjs"

install()
build()
const [seconds = "600", seed = "1"] = process.argv.slice(2)
Object.assign(process.env, { PROCWIRE_SOAK_SECONDS: seconds, PROCWIRE_SOAK_SEED: seed })
tool("vitest/vitest.mjs", ["run", "adapters/shared/Soak.test.ts"])
