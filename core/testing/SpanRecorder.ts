/** A tracer for tests that records every span that has ended. */
import * as Layer from "effect/Layer"
import * as Tracer from "effect/Tracer"

/** A span that has ended. */
export interface Ended {
  readonly name: string
  readonly span: Tracer.Span
}

/** The tracer as a layer, and what it has recorded. */
export const make = () => {
  const ended: Array<Ended> = []
  let count = 0
  const hex = (length: number) => (count += 1).toString(16).padStart(length, "0")
  const tracer = Tracer.make({
    span: ({ name, parent, annotations, links, startTime, kind }) => {
      const attributes = new Map<string, unknown>()
      const span: Tracer.Span = {
        _tag: "Span",
        name,
        spanId: hex(16),
        traceId: parent._tag === "Some" ? parent.value.traceId : hex(32),
        parent,
        annotations,
        status: { _tag: "Started", startTime },
        attributes,
        links,
        sampled: true,
        kind,
        end: () => void ended.push({ name, span }),
        attribute: (key, value) => void attributes.set(key, value),
        event: () => {},
        addLinks: () => {},
      }
      return span
    },
  })
  return { ended, layer: Layer.succeed(Tracer.Tracer, tracer) }
}

/** The attributes of the first span of a name. */
export const attributesOf = (ended: ReadonlyArray<Ended>, name: string) =>
  Object.fromEntries(ended.find((one) => one.name === name)?.span.attributes ?? [])

/** The parent of the first span of a name. */
export const parentOf = (ended: ReadonlyArray<Ended>, name: string) => {
  const parent = ended.find((one) => one.name === name)?.span.parent
  return parent?._tag === "Some" ? parent.value : undefined
}
