/** Loads the node-pty package. A file of its own, so that the bundles of other runtimes do not contain the package. */
import type { NodePty } from "./NodePtyChild.ts"

/** Rejects where the package has no binary for this platform. */
export const load = async (): Promise<NodePty> =>
  (await import("@homebridge/node-pty-prebuilt-multiarch")) as unknown as NodePty
