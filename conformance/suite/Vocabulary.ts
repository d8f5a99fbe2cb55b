/** The words of cases: what a table of them is written with. */
export {
  make,
  table,
  type Capability,
  type Case,
  type CaseFacts,
  type CaseSpec,
  type Level,
  type Specs,
} from "./Case.ts"
export type { CaseContext } from "./CaseContext.ts"
export * as Check from "./Check.ts"
export * as Child from "./Child.ts"
export { pause, within } from "./Deadline.ts"
export { idText, isObject, type Json, type JsonObject } from "./Json.ts"
export type { Wire } from "./wire/Wire.ts"
