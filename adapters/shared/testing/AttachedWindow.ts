/** The program in the window of a terminal, where it is called `pw`. */
import { command } from "../../testing/Runtime.ts"
import * as Program from "./Program.ts"
import * as Tmux from "./Tmux.ts"

const itself = command.map((word) => `'${word}'`).join(" ")

/** The needs of processes on a terminal, for `run -d -t`. */
export const term = ["-e", "TERM=xterm-256color"]

/** A shell in a window, in the folder of the program. */
export const windowOf = (program: Program.Program, name = "tmux"): Tmux.Window => {
  const window = Tmux.open(program.folder.at(name), program.folder.path, program.env)
  window.keys(`pw() { ${itself} "$@"; }; stty -a >before; clear`, "Enter")
  return window
}

/** The program and its window. */
export const open = (more: Readonly<Record<string, string>> = {}) => {
  const program = Program.make({ PS1: "> ", TERM: "xterm-256color", ...more })
  return { ...program, window: windowOf(program) }
}
