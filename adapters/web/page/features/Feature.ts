/** A feature of a server as the page shows it: all that it adds is one value, and one line in `Features`. */
import type { Closed } from "../../../../core/client/ProcessEvent.ts"
import type { StartOptions } from "../../../../core/client/StartOptions.ts"
import type { Link } from "../link/Link.ts"
import type { Row } from "../model/Rows.ts"
import type { End } from "../model/Words.ts"
import type { Page } from "../view/Page.ts"
import type { Icon } from "../view/dom.ts"

export interface Feature {
  /** Options of the starts of the page. */
  readonly start?: (can: Link["can"]) => Partial<StartOptions>
  readonly button?: Button
  readonly closed?: (event: Closed) => ClosedFacts | undefined
}

/** A button for the current process: facts of an earlier start of the server, or of before an outage, offer none. */
export interface Button {
  readonly icon: Icon
  /** The label, with the shortened title of the process. */
  readonly label: (called: string) => string
  readonly isOffered: (link: Link, row: Row) => boolean
  /** Rejects with `ClientError`. */
  readonly press: (page: Page, row: Row) => Promise<void>
}

export interface ClosedFacts {
  readonly end: Partial<End>
  /** Facts behind the end. */
  readonly facts: ReadonlyArray<string>
  /** Lines that are shown while the pointer rests on the head. */
  readonly lines: ReadonlyArray<string>
}
