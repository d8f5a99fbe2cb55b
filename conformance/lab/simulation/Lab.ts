/** What the tests here use of the scripts beside them, with types. */

/** So many seeds from one on; `mix` is what is played, if not the usual programs. */
export interface Part {
  readonly from: number
  readonly seeds: number
  readonly mix?: string
}

/** What `playSeeds` takes. */
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
  readonly plant: (fault: object, outfile: string) => Promise<string>
  readonly faults: ReadonlyArray<{ readonly what: string }>
}

const load = (file: string): Promise<Scripts> => import(new URL(file, import.meta.url).href)

export const { playSeeds } = await load("seeds.mjs")
export const { bundle } = await load("bundle.mjs")
export const { plant } = await load("faults/plant.mjs")
export const { faults } = await load("faults/all.mjs")
