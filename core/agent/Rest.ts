/** The call that gets the rest of a text that was cut, as data and in words. */

/** A call of a tool. */
export interface RestCall {
  /** The name of the tool. */
  readonly tool: "read_output"
  /** Its arguments, as a model writes them. */
  readonly arguments: Readonly<Record<string, string | number | boolean>>
}

/** The part that was cut from a text. */
export interface Rest {
  /** Gets it, or its beginning and the call for more. Absent: nothing of it is kept. */
  readonly call?: RestCall
  /** Set if a part of it is not kept any more: its bytes. */
  readonly lost?: { readonly from: number; readonly to: number }
}

/** The bytes from one offset to another, of which those before `begin` are not kept any more. */
export const ofBytes = (
  session_id: number,
  { from, to }: { readonly from: number; readonly to: number },
  begin: number,
  more: RestCall["arguments"] = {},
): Rest => {
  const kept = Math.max(from, begin)
  return {
    ...(kept >= to
      ? {}
      : { call: { tool: "read_output", arguments: { session_id, from_byte: kept, to_byte: to, ...more } } }),
    ...(from >= begin ? {} : { lost: { from, to: Math.min(to, begin) } }),
  }
}

/** For the model, in a text of its own. */
export const toText = ({ call, lost }: Rest): string =>
  [
    ...(call === undefined ? [] : [`The output above is cut. To get the rest, call ${callText(call)}`]),
    ...(lost === undefined ? [] : [`Bytes ${lost.from} to ${lost.to} of the output are not kept any more.`]),
  ].join("\n")

/** A call in words: the tool, and its arguments as JSON. */
export const callText = ({ tool, arguments: args }: RestCall): string => `${tool} ${JSON.stringify(args)}`
