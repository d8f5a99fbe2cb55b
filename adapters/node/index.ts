export { connect, open, type Target } from "./connect.ts"
export { layerSpawner } from "./NodeSpawner.ts"
