// @ts-check
/** A request that is answered with an error. */
export class Refused extends Error {
  /**
   * @param {number} code
   * @param {string} message
   */
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

export const invalidRequest = -32600
export const methodNotFound = -32601
export const invalidParams = -32602
export const internalError = -32603
export const sessionAttached = -32010
export const sessionTaken = -32012
export const requestCancelled = -32800
