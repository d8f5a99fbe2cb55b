import * as PipeCases from "./testing/PipeCases.ts"
import * as PipeSpawner from "./PipeSpawner.ts"

PipeCases.suite("PipeSpawner", PipeSpawner.make({ add: () => {}, remove: () => {} }))
