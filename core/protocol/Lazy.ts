/**
 * Schemas that are made when they are first used.
 *
 * The wire has some hundred of them, and to make them all takes a fifth of the CPU time of a start. A server that has
 * just started needs those of `initialize`; those of a method are made when it is first called.
 */
import * as Schema from "effect/Schema"

/**
 * A schema, or an object of fields, that `make` makes once, when anything of it is first read. It stands for what is
 * made wherever that is read by name, spread, or part of another schema; only its identity is another.
 */
export const lazy = <A extends object>(make: () => A): A => {
  let made: A | undefined
  const target = () => (made ??= make())
  const handler: ProxyHandler<A> = {
    get: (_, name) => Reflect.get(target(), name),
    has: (_, name) => Reflect.has(target(), name),
    ownKeys: () => Reflect.ownKeys(target()),
    getOwnPropertyDescriptor: (_, name) => {
      const found = Reflect.getOwnPropertyDescriptor(target(), name)
      // What the stand-in does not have itself, it can only show as a property that may change.
      return found === undefined ? undefined : { ...found, configurable: true }
    },
  }
  return new Proxy<A>({} as A, handler)
}

/** A function that `make` makes once, when it is first called: a decoder, for example. */
export const lazyFunction = <Args extends ReadonlyArray<unknown>, A>(
  make: () => (...args: Args) => A,
): ((...args: Args) => A) => {
  let made: ((...args: Args) => A) | undefined
  return (...args) => (made ??= make())(...args)
}

/** A struct that is made when it is first used. `identifier` is its name, in documents and error texts. */
export const struct = <Fields extends Schema.Struct.Fields>(
  identifier: string,
  fields: () => Fields,
): Schema.Struct<Fields> => lazy(() => Schema.Struct(fields()).annotations({ identifier }))
