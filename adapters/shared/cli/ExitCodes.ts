/** What the exit codes of the program mean, for every command. */

/** Codes, and what they mean. */
export const exitCodes: ReadonlyArray<readonly [code: string, meaning: string]> = [
  ["0", "It was done."],
  ["1", "It could not be done: no such process, no server, a condition that will never hold."],
  ["2", "Wrong use: a flag, a value or a configuration that cannot be."],
  ["124", "A timeout: the command of run was ended by one, or what wait waited for has not come."],
  ["125", "The command of run was not started, or its server failed."],
  ["126, 127", "The command of run cannot be executed, or was not found."],
  ["128 + n", "Signal n has ended the command of run, or this one; 141 is a reader of stdout that has gone."],
]
