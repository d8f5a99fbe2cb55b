export { layerWrap } from "./Wrap.ts"
