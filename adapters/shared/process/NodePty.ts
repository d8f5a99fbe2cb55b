/** Loads the node-pty package. A file of its own, so that the bundles of other runtimes do not contain the package. */
import type { NodePty } from "./NodePtyChild.ts"

/** Rejects where the package is not installed, or has no binary for this platform. */
export const load = async (): Promise<NodePty> => {
  try {
    return (await import("@homebridge/node-pty-prebuilt-multiarch")) as unknown as NodePty
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause
    throw new Error("it needs a package: npm install @homebridge/node-pty-prebuilt-multiarch", { cause })
  }
}
