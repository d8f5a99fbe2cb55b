/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

/** The documents of the wire. */
export const about: About = {
  since: "1.1",
  adds: {
    "1.1": {
      processSecretHosts: [
        "ProcessSecret.hosts",
        "ProcessSecret.header",
        "ProcessSecret.base",
        "ProcessSecret.http",
      ],
    },
  },
  examples: () => ({
    startFields: { secrets: { GH_TOKEN: { value: "ghp_16C7e42F292c6912E7710c838347Ae178B4a" } } },
  }),
}
