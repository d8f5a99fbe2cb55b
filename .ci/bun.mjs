// `npm run build:bun`: the command as one executable, dist/procwire-bun, which needs nothing beside itself and libc.
//
// Bun copies itself and appends the bundle with its bytecode. A server started in a foreign folder must not read `.env`
// or `bunfig.toml` there. What runs once, at the start, is not worth compiling: main.ts takes that policy back.
import { binary, install, run } from "./setup.mjs"

install()
const speed = [
  "--bytecode",
  "--format=esm",
  "--splitting",
  "--minify",
  "--sourcemap=none",
  "--compile-jit-policy=100",
]
const isolation = ["--no-compile-autoload-dotenv", "--no-compile-autoload-bunfig"]
run(
  binary("@oven", "bin/bun"),
  ["build", "--compile", ...speed, ...isolation, "adapters/bun/main.ts", "--outfile", "dist/procwire-bun"],
  { stdio: ["ignore", "ignore", "inherit"] },
)
