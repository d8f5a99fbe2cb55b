/** The spawners that come with procwire, by which `--spawner NAME` and `procwire spawners` know them. */
import type { BuiltIn } from "./BuiltIn.ts"
import { bwrap } from "./Bwrap.ts"
import { limitsOf } from "./Limits.ts"
import { nice } from "./Nice.ts"
import { docker, podman } from "./Podman.ts"
import { procwire } from "./Procwire.ts"
import { ssh } from "./Ssh.ts"
import { user } from "./User.ts"

/** All of them, in the order of their lists. */
export const builtIns: ReadonlyArray<BuiltIn> = [nice, user, limitsOf, bwrap, podman, docker, ssh, procwire]
