// @ts-check
/** Fault: children follow each other once more than the start allows. */
import { wrong } from "../relay/Relay.mjs"

await wrong("process/start", {
  params: ({ restart, ...params }) => ({
    ...params,
    ...(restart !== undefined && {
      restart: restart.most === undefined ? restart : { ...restart, most: restart.most + 1 },
    }),
  }),
})
