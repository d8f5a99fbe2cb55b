/**
 * The requests of one connection: ids, the method of each, and the processes that were started.
 */
import { isObject, parse, type Json } from "../Json.ts"

export interface Requests {
  /** The ids that `next` has given out. */
  readonly asked: ReadonlySet<number>
  /** The method of every request that was sent, by id; `undefined` where one id was used for several methods. */
  readonly methods: ReadonlyMap<Json, string | undefined>
  readonly next: (method: string, params: Json | undefined) => number
  /** Remembers which method a text asks for, however the text was made. */
  readonly learn: (text: string) => void
  /** The requests that terminate every process that was started with an id of `next`. */
  readonly terminations: () => ReadonlyArray<Json>
}

/** Cases write small ids by hand; these do not meet them. */
const firstId = 1000

/** The method that terminates what a method has started. */
const terminators: ReadonlyMap<string, string> = new Map([
  ["process/start", "process/terminate"],
  ["command/exec", "command/exec/terminate"],
])

/** Longer texts, in characters, are not parsed for their method. */
const longText = 100_000

/** Nothing has been asked yet. */
export const make = (): Requests => {
  const asked = new Set<number>()
  const methods = new Map<Json, string | undefined>()
  const started = new Map<Json, string>()
  return {
    asked,
    methods,
    next: (method, params) => {
      const id = firstId + asked.size
      asked.add(id)
      const terminator = terminators.get(method)
      if (terminator !== undefined && isObject(params)) started.set(params["processId"] ?? null, terminator)
      return id
    },
    learn: (text) => {
      const json = text.length > longText ? undefined : parse(text)
      if (!isObject(json)) return
      const { id, method } = json
      if (id === undefined || typeof method !== "string") return
      methods.set(id, methods.has(id) && methods.get(id) !== method ? undefined : method)
    },
    terminations: () =>
      [...started].map(([processId, method]) => ({ id: "finish", method, params: { processId } })),
  }
}
