// @ts-check
// `npm run test:bun` and `npm run test:deno`: the tests of core and adapters on that runtime, or those that the
// arguments name.
import { build, install, run, vitestOn } from "./setup.mjs"

const [runtime, ...args] = process.argv.slice(2)
install()
build()
// Node plays the long soak.
process.env["PROCWIRE_SOAK_SECONDS"] ??= "4"
if (runtime === "bun" || runtime === "deno") {
  const { provide } = await import("./tested.mjs")
  await provide(runtime)
  run(...vitestOn(runtime, args))
}
