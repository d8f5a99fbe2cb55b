// `npm start`: installs and builds what is missing, then becomes `procwire` with the given arguments
// (`npm start -- run -- ls -la`), or the server without any.
import { build, install, root } from "./setup.mjs"

install()
build()
const args = process.argv.slice(2)
process.argv = [process.argv[0], `${root}dist/procwire.mjs`, ...(args.length === 0 ? ["serve"] : args)]
await import("../dist/procwire.mjs")
