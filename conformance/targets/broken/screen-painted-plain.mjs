// @ts-check
/** Fault: what paints the picture is its text alone, without colors, title and places. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/screen", {
  params: ({ formats, ...params }) => ({ ...params, formats: [...(formats ?? []), "text"] }),
  result: ({ ansi, text, ...result }, { formats }) => ({
    ...result,
    ...(formats === undefined || formats?.includes("text") ? { text } : {}),
    ...(ansi === undefined ? {} : { ansi: text.replaceAll("\n", "\r\n") }),
  }),
})
