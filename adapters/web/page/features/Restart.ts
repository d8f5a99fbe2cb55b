/** Starts a process again that has ended: in its place and under its name, with an empty output. */
import { asWriter, mayControl } from "../link/Acting.ts"
import { keyOf } from "../model/Rows.ts"
import type { Feature } from "./Feature.ts"

export const restart: Feature = {
  // So that the button can start it again.
  start: (can) => (can("processRestart") ? { restart: { policy: "no" } } : {}),
  button: {
    icon: { path: "M13 3v3.500h-3.500M12.6 6.500A5.200 5.200 0 1 0 13 9.500" },
    label: (called) => `Start ${called} again`,
    isOffered: (link, row) =>
      row.state === "closed" &&
      row.restarts !== undefined &&
      link.can("processRestart") &&
      mayControl(link, row),
    press: async ({ link, started }, row) => {
      started.add(keyOf(row))
      await asWriter(link, row, (process) => process.restart())
      await link.refresh()
    },
  },
}
