/** The common part of the tests here: the scripts beside them, with types, and a run of seeds in which nothing may fail. */
import { expect } from "vitest"

/** So many seeds from one on; `mix` is what is played, if not the usual programs. */
export interface Part {
  readonly from: number
  readonly seeds: number
  readonly mix?: string
}

/** The request of `playSeeds`. */
export interface Request {
  readonly file: string
  readonly command: readonly [string, ...ReadonlyArray<string>]
  readonly parts: ReadonlyArray<Part>
  readonly jobs: number
  readonly minutes: number
}

interface Scripts {
  readonly playSeeds: (request: Request, print: (text: string) => void) => Promise<boolean>
  readonly bundle: (outfile?: string) => Promise<string>
  readonly planted: (fault: object, outfile: string) => Promise<string>
  readonly all: ReadonlyArray<{ readonly name: string }>
}

const load = (file: string): Promise<Scripts> => import(new URL(file, import.meta.url).href)

export const { playSeeds } = await load("seeds.mjs")
export const { bundle } = await load("bundle.mjs")
export const { planted } = await load("../faults/simulated.mjs")
export const { all: faults } = await load("../faults/all.mjs")

/** Each seed alone, by what it plays. */
export const partsOf = (seeds: Readonly<Record<string, ReadonlyArray<number>>>): ReadonlyArray<Part> =>
  Object.entries(seeds).flatMap(([mix, all]) => all.map((from) => ({ mix, from, seeds: 1 })))

/** Plays seeds with one virtual minute of activity, all in one process, which compiles once: every invariant holds. */
export const expectNoFailure = async (parts: ReadonlyArray<Part>): Promise<void> => {
  const said: Array<string> = []
  const request = { file: await bundle(), command: [process.execPath] as const, parts, jobs: 1, minutes: 1 }
  const ok = await playSeeds(request, (text) => said.push(text))
  expect(ok, said.join("")).toBe(true)
  expect(said.map((text) => text.slice(0, text.indexOf(":")))).toEqual(
    parts.map(({ from, seeds }) => `seeds ${from} to ${from + seeds - 1} ok`),
  )
}
