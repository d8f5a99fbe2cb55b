/**
 * The boundary of the promises: their errors have a stack that begins where the program has called, and never the
 * frames of this library, which say nothing to who reads them.
 *
 * A stack is captured at each call, and is only made a text when the call fails.
 */
import { Disconnected } from "../rpc/Connection.ts"
import { RpcError } from "../protocol/ErrorCode.ts"
import { TransportError } from "../transport/Transport.ts"
import { ClientError } from "./ClientError.ts"

export interface CallSite {
  /** The first line is none of a frame. */
  readonly stack?: string
}

/** The place where the function `above` was called. Runtimes without `captureStackTrace` do not tell it. */
export const capture = (above: (...args: never) => unknown): CallSite => {
  const site: CallSite = {}
  capturing.captureStackTrace?.(site, above)
  return site
}

/** V8 and JavaScriptCore have it. */
const capturing = Error as {
  readonly captureStackTrace?: (target: object, above: (...args: never) => unknown) => void
}

/** The same function, whose promise rejects with errors from where it was called, also where it would throw. */
export const atBoundary = <A extends Array<unknown>, R>(call: (...args: A) => R): ((...args: A) => R) => {
  const called = function (this: unknown, ...args: A): R {
    try {
      return located(call.apply(this, args), called)
    } catch (error) {
      return Promise.reject(locate(error, capture(called))) as R
    }
  }
  return called
}

/**
 * The same object, with all of its functions, loops and promises at the boundary; `except` names functions that throw
 * at once.
 */
export const boundary = <T extends object>(object: T, except: ReadonlyArray<string> = []): T => {
  for (const key of Reflect.ownKeys(object)) {
    const property = Object.getOwnPropertyDescriptor(object, key) as PropertyDescriptor
    const { get, value } = property as { readonly get?: () => unknown; readonly value?: unknown }
    if (get !== undefined) {
      const read = (): unknown => {
        const value = located(get.call(object), read)
        // A program need not await it.
        if (value instanceof Promise) value.catch(() => {})
        return value
      }
      Object.defineProperty(object, key, { ...property, get: read })
    } else if (typeof value === "function" && !except.includes(String(key))) {
      Object.defineProperty(object, key, { ...property, value: atBoundary(value as () => unknown) })
    }
  }
  return object
}

const located = <R>(result: R, called: (...args: never) => unknown): R => {
  if (result instanceof Promise) {
    const site = capture(called)
    return result.then(undefined, (error: unknown) => {
      throw locate(error, site)
    }) as R
  }
  if (typeof result === "object" && result !== null && Symbol.asyncIterator in result && "next" in result)
    return loop(result as unknown as AsyncGenerator, capture(called)) as R
  return result
}

/** The same loop, whose errors are from there. */
export const loop = <A>(generator: AsyncGenerator<A>, site: CallSite): AsyncGenerator<A> => {
  const fail = (error: unknown) => {
    throw locate(error, site)
  }
  const looped: Omit<AsyncGenerator<A>, typeof Symbol.asyncDispose> = {
    next: (...args) => generator.next(...args).then(undefined, fail),
    return: (value) => generator.return(value).then(undefined, fail),
    throw: (error) => generator.throw(error).then(undefined, fail),
    [Symbol.asyncIterator]: () => looped as AsyncGenerator<A>,
  }
  return looped as AsyncGenerator<A>
}

/** The error as who has called there gets it. An error of another kind is the program's own, and stays as it is. */
export const locate = (error: unknown, site: CallSite): unknown => {
  if (!(error instanceof ClientError)) return error
  // Several calls may fail with the same error, each somewhere else.
  return copy(error, site.stack === undefined ? undefined : frames(site.stack))
}

const copy = (error: ClientError, stack: string | undefined): ClientError => {
  const { message } = error
  const cause = causeOf(error)
  const copied = new ClientError({ ...error, message, ...(cause === undefined ? {} : { cause }) })
  if (stack !== undefined) {
    const value = stack === "" ? `ClientError: ${message}` : `ClientError: ${message}\n${stack}`
    Object.defineProperty(copied, "stack", { value, writable: true, configurable: true, enumerable: false })
  }
  return copied
}

/** The cause, without what only says the same in the words of this library. */
const causeOf = (error: ClientError): unknown => {
  let { cause } = error
  while (isOwn(cause) && (!(cause instanceof ClientError) || error.message.includes(cause.message)))
    ({ cause } = cause)
  return cause instanceof ClientError ? copy(cause, "") : cause
}

const isOwn = (cause: unknown): cause is Error & { readonly cause?: unknown } =>
  cause instanceof ClientError ||
  cause instanceof RpcError ||
  cause instanceof Disconnected ||
  cause instanceof TransportError

/** The frames of a stack: JavaScriptCore has no line in front of them. */
const frames = (stack: string): string => stack.replace(/^[A-Za-z]*(?:Error)?(?:: [^\n]*)?\n(?=\s+at )/, "")
