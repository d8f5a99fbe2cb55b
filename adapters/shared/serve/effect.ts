/** The exports about servers of the doors for programs in Effect, beside `makeServer` and `layerServer`. */
export type { Stats } from "../status/Stats.ts"
export { layerWebSocket } from "../transport/LazyWebSockets.ts"
export type { LookUp } from "../transport/Peers.ts"
export type { Place, Site, SiteAt } from "../transport/Site.ts"
export type { HostAndPort } from "../transport/SocketAddress.ts"
export { layerSocket, type Options as SocketOptions, type UnixOptions } from "../transport/SocketListener.ts"
export { layer as layerStdio } from "../transport/StdioTransport.ts"
export type { ServerTls } from "../transport/Tls.ts"
export type {
  Admission,
  Admit,
  Connection as UpgradeConnection,
  Pages,
  Reply as UpgradeReply,
  Request as UpgradeRequest,
} from "../transport/UpgradeAdmission.ts"
export type { Options as WebSocketOptions } from "../transport/WebSocketListener.ts"
export type { AuthFileOptions, GeneralOptions, TlsFileOptions } from "./generated/OptionTypes.ts"
export type { LogEntry } from "./Logging.ts"
export type { AuthOptions, Options as ServeOptions, TlsOptions } from "./Options.ts"
export type { SecretSource, SecretSources, SecretUse } from "./SecretSources.ts"
export { ServeError, type ServeReason } from "./ServeError.ts"
export {
  type CloseOptions,
  type LinkOptions,
  type NamedFiles,
  Server,
  type ServerService,
} from "./ServerTag.ts"
export type { SpawnerChoice, SpawnerSource } from "./SpawnerLayer.ts"
export type { HandleUpgrade } from "./Upgrades.ts"
