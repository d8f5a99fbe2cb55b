export { layerSpawner } from "./NodeSpawner.ts"
