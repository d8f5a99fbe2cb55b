export type { Access, Confinement, Place } from "../../core/protocol/Confinement.ts"
export { layer as layerBubblewrap, type Options as BubblewrapOptions } from "../shared/confine/Bubblewrap.ts"
export { layerWrap } from "./Wrap.ts"
