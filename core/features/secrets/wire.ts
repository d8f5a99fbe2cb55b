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
    /**
     * With the capability `processSecretHosts`: the hosts that get the value, in the grammar of egress rules, such as
     * `api.github.com`. The process has a placeholder in its variable, which becomes the value in the headers of
     * requests to these hosts.
     */
    hosts: Shape.beyond(Shape.list(Shape.string), "processSecretHosts"),
    /**
     * The header of requests by the URL of the secret, with `${value}` or `${basic:USER}` in it; by default
     * `authorization: Bearer ${value}`.
     */
    header: Shape.beyond(Shape.string, "processSecretHosts"),
    /** The variable that gets the URL of the secret: of the first of `hosts` that is no pattern, by TLS. */
    base: Shape.beyond(Shape.string, "processSecretHosts"),
    /** True: the value may also go to public addresses by `http://`, where others can read it. */
    http: Shape.beyond(Shape.boolean, "processSecretHosts"),
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
