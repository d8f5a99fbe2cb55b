/** Loads the node-pty package: in a file of its own, so that runtimes where it does not work leave it out. */
import type { NodePty } from "./NodePtyChild.ts"

/** Fails where the package has no binary for this platform. */
export const load = async (): Promise<NodePty> =>
  (await import("@homebridge/node-pty-prebuilt-multiarch")) as unknown as NodePty
