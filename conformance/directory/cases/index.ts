/** Every case about a directory, in the order in which they are listed. */
import type { Case } from "../DirectoryContext.ts"
import { claims } from "./claim.ts"
import { hosts } from "./host.ts"
import { models } from "./model.ts"
import { sessions } from "./session.ts"
import { watches } from "./watch.ts"

export const cases: ReadonlyArray<Case> = [...hosts, ...claims, ...sessions, ...watches, ...models]
