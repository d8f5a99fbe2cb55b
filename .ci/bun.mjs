// @ts-check
// `npm run build -- bun`: the command as one executable, dist/procwire-bun, which needs nothing but libc.
//
// Bun copies itself and appends the bundle with its bytecode. A server that is started in a foreign folder must not
// read `.env` or `bunfig.toml` there. Code that runs once, at the start, is not worth compiling, hence the high
// threshold of the JIT; main.ts lowers it again.
import { command } from "./command.mjs"
import { binary, install, run } from "./setup.mjs"

command(import.meta.url, { allowPositionals: true })
install()
const speed = ["--bytecode", "--format=esm", "--splitting", "--minify", "--sourcemap=none"]
const jit = ["--compile-jit-policy=100"]
const isolation = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"]
// PTYs of this package do not work on Bun.
const external = ["--external", "@homebridge/node-pty-prebuilt-multiarch"]
const files = ["adapters/bun/main.ts", "--outfile", "dist/procwire-bun"]
run(
  binary("@oven", "bin/bun"),
  ["build", "--compile", ...speed, ...jit, ...isolation, ...external, ...files],
  {
    stdio: ["ignore", "ignore", "inherit"],
  },
)
