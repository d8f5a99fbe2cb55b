/** Every spawner with a fault, and the harmless ones. */
import type { Broken } from "./Broken.ts"
import { children } from "./children.ts"
import { confinements } from "./confining.ts"
import { events } from "./events.ts"

export type { Broken, Service } from "./Broken.ts"
export { harmless } from "./harmless.ts"

export const broken: { readonly [name: string]: Broken } = { ...events, ...children, ...confinements }
