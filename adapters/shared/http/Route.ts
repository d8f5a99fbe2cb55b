/** The way of one request to its origin, or to the proxy before it. */
import type * as Http from "node:http"
import type * as Https from "node:https"
import type { Header } from "../../../core/http/HttpClient.ts"
import type * as Authorities from "./Authorities.ts"

export interface Route {
  /** `node:http` or `node:https`, loaded when it is first needed. */
  readonly module: Pick<typeof Http, "request">
  readonly options: Https.RequestOptions & Authorities.Trusted
  /** Headers for the proxy, unless the caller has set its own. */
  readonly headers: ReadonlyArray<Header>
}
