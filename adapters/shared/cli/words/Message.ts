/** The lines that the program says for itself on stderr: each begins with its name, as those of Unix tools do. */
import process from "node:process"

export const line = (text: string): string => `procwire: ${text}\n`

/** A line for a terminal in raw mode, where a line feed alone does not lead to the first column. */
export const rawLine = (text: string): string => `procwire: ${text}\r\n`

export const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

export const say = (text: string): void => void process.stderr.write(line(text))
