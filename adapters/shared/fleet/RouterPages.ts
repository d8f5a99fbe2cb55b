/** The status of a router over HTTP: `/healthz` for people and probes, `/metrics` for Prometheus. */
import type { Router } from "../../../core/fleet/Router.ts"
import * as Prometheus from "../status/Prometheus.ts"
import * as StatusPages from "../status/StatusPages.ts"
import type * as UpgradeAdmission from "../transport/UpgradeAdmission.ts"
import { version } from "../Version.ts"

/** Pages, which are there before their router. */
export interface RouterPages {
  readonly pages: UpgradeAdmission.Pages
  /** From now on they show this router. */
  readonly show: (router: Router) => void
}

/** The pages of a router that is about to begin. */
export const make = (): RouterPages => {
  let shown: Router | undefined
  const page = (contentType: string, body: (router: Router) => string) => () =>
    shown === undefined ? { status: 503, body: "" } : StatusPages.reply(contentType, body(shown))
  return {
    pages: {
      "/healthz": page("application/json", healthOf),
      "/metrics": page(Prometheus.contentType, ({ metrics }) => Prometheus.encode(metrics.snapshot())),
    },
    show: (router) => {
      shown = router
    },
  }
}

const healthOf = ({ view, metrics, tunnels }: Router): string =>
  JSON.stringify({
    status: "ok",
    version,
    connections: metrics.connections(),
    tunnels: tunnels.size,
    sessions: view.sessions.size,
    hosts: [...view.hosts.values()].filter(({ state }) => state === "up").length,
  })
