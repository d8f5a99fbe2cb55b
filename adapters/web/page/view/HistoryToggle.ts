/** Opens and closes the history of a tile. */
import * as HistoryPane from "./HistoryPane.ts"

/** What it is made of. */
export interface Options extends Pick<HistoryPane.Options, "past" | "screenIn" | "settings"> {
  readonly parent: HTMLElement
  /** Why there is no history; undefined where there is one. */
  readonly refused: string | undefined
  readonly tell: (text: string) => void
  readonly closed: () => void
}

/** The switch. */
export interface HistoryToggle {
  readonly toggle: () => void
  readonly isOpen: () => boolean
  readonly close: () => void
}

/** Makes it. */
export const make = ({ parent, refused, past, screenIn, settings, tell, closed }: Options): HistoryToggle => {
  let pane: HistoryPane.HistoryPane | undefined
  const close = () => {
    pane?.element.remove()
    pane?.dispose()
    pane = undefined
  }
  const toggle = () => {
    if (refused !== undefined) return tell(refused)
    if (pane === undefined) {
      pane = HistoryPane.make({ past, screenIn, settings, done: toggle })
      return parent.append(pane.element)
    }
    close()
    closed()
  }
  return { toggle, isOpen: () => pane !== undefined, close }
}
