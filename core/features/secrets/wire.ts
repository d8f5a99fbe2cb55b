/** Secrets on the wire: `secrets` of a start. */
import { Fault, type Read } from "../../protocol/shape/Shape.ts"
import * as Shape from "../../protocol/shape/index.ts"
import * as Wire from "../Wire.ts"

/** The same shape, whose faults name the secret and never show a value. */
const silent = <A, I>({ read, form, write }: Shape.Shape<A, I>): Shape.Shape<A, I> => {
  const silently: Read = (json, reading) => {
    const depth = reading.path.length
    try {
      return read(json, reading)
    } catch (fault) {
      if (!(fault instanceof Fault) || fault.message.startsWith("missing field")) throw fault
      reading.path.length = depth
      throw new Fault("invalid secret, expected an object with the text `value`")
    }
  }
  return Shape.make(silently, form, write)
}

/** A secret of a process. */
export const SecretValue = silent(
  Shape.struct("ProcessSecret", {
    /** At least 6 bytes without a NUL byte; those of a process have at most 256 KiB together. */
    value: Shape.string,
  }),
)

/** The wire of the feature. */
export const secrets = Wire.make({
  capabilities: {
    /** Beyond the peer implementation: `secrets` of `process/start`. */
    processSecrets: Shape.boolean,
  },
  startFields: {
    /**
     * With the capability `processSecrets`, by the name of a variable: the process gets the variable with the value,
     * and `***NAME***` stands for the value in its output, in lists, logs and errors.
     */
    secrets: Shape.beyond(Shape.map(SecretValue)),
  },
})
