// @ts-check
// `npm run soak`: cuts the connection again and again for ten minutes while three children flood it, and compares every
// byte. `npm run soak -- 60 7` plays 60 seconds from seed 7.
import { build, install, tool } from "./setup.mjs"

install()
build()
const [seconds = "600", seed = "1"] = process.argv.slice(2)
Object.assign(process.env, { PROCWIRE_SOAK_SECONDS: seconds, PROCWIRE_SOAK_SEED: seed })
tool("vitest/vitest.mjs", ["run", "adapters/shared/integration/Soak.test.ts"])
