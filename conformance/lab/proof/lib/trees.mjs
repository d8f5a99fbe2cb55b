// @ts-check
// Trees of processes that try to outlive what started them. Each says `ready` when it is complete, or as good as that.

const long = "sleep 600"
const silent = "</dev/null >/dev/null 2>&1"
/** Starts itself in a session of its own again and again. */
const hydra = `[ "$1" -gt 0 ] && setsid sh -c "$0" "$0" $(($1 - 1)) & ${long}`

/** @type {Readonly<Record<string, (size: number) => string[]>>} */
export const trees = {
  "double fork": () => sh(`(setsid sh -c "(${long} &); ${long} & exit" ${silent} &); echo ready; ${long}`),
  "sessions of their own": () => sh(`setsid ${long} & setsid setsid ${long} & echo ready; wait`),
  "a daemon of init": () => sh(`(setsid sh -c "trap '' HUP; ${long}; :" ${silent} &); echo ready`),
  "deaf to signals": () =>
    sh(
      `trap '' TERM INT HUP; setsid sh -c "trap '' TERM INT HUP; while :; do ${long}; done" & echo ready; wait`,
    ),
  "forking while it is killed": (size) => ["sh", "-c", `echo ready; ${hydra}`, hydra, String(size)],
  "many children": (size) =>
    sh(`i=0; while [ $i -lt ${size} ]; do ${long} & i=$((i + 1)); done; echo ready; wait`),
  "stopped children": () =>
    sh(`setsid sh -c 'kill -STOP $$; ${long}' & sh -c 'kill -STOP $$' & echo ready; kill -STOP $$`),
  "a zombie leader": () => sh(`(setsid sh -c 'exit' & exec ${long}) ${silent} & echo ready; exit`),
}

/** @param {string} script */
const sh = (script) => ["sh", "-c", script]
