/** Processes that outlive their server (`serve --keep`): where their holder would run, and the holders that live. */
import * as Effect from "effect/Effect"
import * as HolderPlace from "../keep/HolderPlace.ts"
import * as HolderProcess from "../keep/HolderProcess.ts"
import * as ProcessBegin from "../process/ProcessBegin.ts"
import { type Check, no, procRemedy, yes } from "./Check.ts"

const places = {
  session: "a holder has a session of its own",
  scope: "a holder has a scope of systemd of its own",
} as const

export const keep: Check = {
  name: "keep",
  remedy: procRemedy,
  look: ({ keepFolders }) =>
    Effect.sync(() => {
      const denial = ProcessBegin.denial()
      if (denial !== undefined) return no(`processes cannot be kept here: ${denial}`, procRemedy)
      const place = HolderProcess.placeOfItsOwn()
      if (place === undefined)
        return no(
          "a holder ends with this service of systemd: systemd-run was not found",
          "KillMode=process in the unit",
        )
      const holders = [...keepFolders()].filter((folder) => {
        const found = HolderPlace.find(folder)
        return found !== undefined && HolderPlace.noted(found) !== undefined
      })
      const { length } = holders
      const count =
        length === 0 ? "none runs now" : `${length} ${length === 1 ? "runs" : "run"} now: ${remedies}`
      return yes(`${places[place.kind]}; ${count}`)
    }),
}

const remedies = "`procwire ps --all-states` lists processes without a server, `procwire gc` ends them"
