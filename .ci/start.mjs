// @ts-check
// `npm start`: installs and builds what is missing, then becomes `procwire` with the given arguments
// (`npm start -- run -- ls -la`), or the server if there are none.
import { build, install, root } from "./setup.mjs"

install()
build()
const command = `${root}dist/procwire.cjs`
const args = process.argv.slice(2)
process.argv = [process.execPath, command, ...(args.length === 0 ? ["serve"] : args)]
await import(command)
