// @ts-check
// An answer without what may differ between two runs of one server: places, ids that the server makes, times, the
// borders of chunks, the order of a folder.
import { short } from "./notices.mjs"
import { bytesOf, isObject, members } from "./values.mjs"

/**
 * @import { Members } from "./values.mjs"
 *
 * @typedef {object} Place
 * @property {string} top the folder of the sequence
 * @property {string} work the folder that it works in, below
 * @property {string} origin the address of the HTTP server
 * @property {number} began in milliseconds
 */

/** A PATH without the folders that the peer puts before it. @param {string} text */
const withoutShims = (text) =>
  text.includes("/codex-")
    ? text.replaceAll(
        /[^:"=\n]*\/(?:arg0(?:-\w+)?\/codex-arg0\w+|codex-linux-\w+\/vendor\/[\w-]+\/codex-path):?/g,
        "",
      )
    : text

/** A text in which both sides name places alike. @param {Place} place @returns {(text: string) => string} */
export const plainIn =
  ({ top, work, origin }) =>
  (text) =>
    withoutShims(text)
      .replaceAll(work, "{D}")
      .replaceAll(top, "{TOP}")
      .replaceAll(origin, "{O}")
      .replaceAll(origin.replace("http://", ""), "{ORIGIN}")
      .replaceAll(/websocket 127\.0\.0\.1:\d+/g, "websocket ADDRESS")
      .replaceAll(/from exec-server (stdio|websocket ADDRESS)/g, "from the client")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g, "{UUID}")

/** @param {unknown} value @param {(text: string) => string} plain @returns {unknown} */
const everywhere = (value, plain) => {
  if (typeof value === "string") return plain(value)
  if (Array.isArray(value)) return value.map((one) => everywhere(one, plain))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, everywhere(one, plain)]))
}

/** A time of the run is "now": how long a step took is no difference. @param {number} began @param {unknown} time */
const timeOf = (began, time) =>
  typeof time === "number" && time >= began - 2000 && time <= Date.now() + 2000 ? "now" : time

/** @typedef {(result: Members, place: Place) => Members} Of */

/** Chunks of a process that runs are exact; afterwards they may have come in any order. @type {Of} */
const readOf = ({ chunks, nextSeq, ...rest }, place) => {
  if (!Array.isArray(chunks)) return { chunks, nextSeq, ...rest }
  const pty = chunks.some(({ stream }) => stream === "pty")
  if (rest["exited"] === false && !pty) return { chunks, nextSeq, ...rest }
  /** @type {Record<string, string>} */
  const output = {}
  for (const { stream, chunk } of chunks) output[stream] = (output[stream] ?? "") + bytesOf(chunk)
  const seqs = chunks.map(({ seq }) => Number(seq))
  const rising = seqs.every((seq, index) => index === 0 || seq > (seqs[index - 1] ?? 0))
  const beyond = Number(nextSeq) > Math.max(0, ...seqs)
  for (const stream of Object.keys(output)) output[stream] = short(plainIn(place)(output[stream] ?? ""))
  return { output, rising, beyond, ...rest }
}

/** What a folder has, by name; a name that is there again has a number. @type {(entries: unknown) => unknown} */
const byName = (entries) => {
  if (!Array.isArray(entries)) return entries
  /** @type {Members} */
  const all = {}
  for (const entry of entries) {
    const { fileName, ...rest } = members(entry)
    const again = Object.keys(all).filter((key) => key.startsWith(`${JSON.stringify(fileName)}`)).length
    all[`${JSON.stringify(fileName)}${again === 0 ? "" : again}`] = rest
  }
  return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** @type {Record<string, Of>} */
const results = {
  "process/read": readOf,
  "fs/getMetadata": ({ modifiedAtMs, createdAtMs, ...rest }, { began }) => ({
    ...rest,
    modifiedAtMs: timeOf(began, modifiedAtMs),
    createdAtMs: timeOf(began, createdAtMs),
  }),
  "fs/readDirectory": ({ entries, ...rest }) => ({ ...rest, entries: byName(entries) }),
  "http/request": ({ bodyBase64, ...rest }, place) => ({
    ...rest,
    body: short(plainIn(place)(bytesOf(bodyBase64))),
  }),
  "fs/readFile": ({ dataBase64, ...rest }) => ({ ...rest, data: short(bytesOf(dataBase64)), dataBase64 }),
}

/**
 * An answer that can be compared.
 * @param {string} method of the request
 * @param {Members} answer
 * @param {Place} place
 * @returns {unknown}
 */
export const answerOf = (method, answer, place) => {
  const { result } = answer
  const by = results[method]
  const normal = by && isObject(result) ? { ...answer, result: by(result, place) } : answer
  return everywhere(normal, plainIn(place))
}

/** Anything else that a server said. @param {unknown} value @param {Place} place */
export const saidOf = (value, place) => everywhere(value, plainIn(place))
