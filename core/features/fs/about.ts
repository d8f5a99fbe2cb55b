/** The documents of the wire of the feature: its versions, and examples. */
import type { About } from "../Wire.ts"

export const about: About = {
  since: "1.0",
  adds: {
    "1.0": { fsWatchMissing: ["fs/watchMissing"] },
    "1.1": { fsChange: ["fs/rename", "fs/setMode", "fs/createSymlink"] },
  },
  examples: () => {
    const path = "file:///srv/app/main.c"

    /** An entry for each kind of place. */
    const entries = [
      { path: { type: "path", path: "file:///srv/app" }, access: "write" },
      { path: { type: "glob_pattern", pattern: "**/*.key" }, access: "none" },
      ...[
        { kind: "root" },
        { kind: "minimal" },
        { kind: "project_roots", subpath: "src" },
        { kind: "tmpdir" },
        { kind: "slash_tmp" },
        { kind: "unknown", path: ":later", subpath: null },
      ].map((value) => ({ path: { type: "special", value }, access: "read" })),
    ]

    const managed = (file_system: object) => ({
      permissions: { type: "managed", file_system, network: "restricted" },
      sandboxOverride: "noOverride",
      cwd: "file:///srv/app",
      policyContext: { cwd: "file:///srv/app", workspaceRoots: ["file:///srv/app"] },
      workspaceRoots: ["file:///srv/app"],
      userHomeDir: "file:///home/ann",
      temporaryDirectories: ["file:///tmp"],
      windowsSandboxLevel: "disabled",
      windowsSandboxProxySettingsMode: "preserve",
      useLegacyLandlock: false,
    })

    const unconfined = (permissions: object) => ({ permissions, windowsSandboxLevel: "disabled" })
    return {
      "fs/readFile": {
        params: [
          {
            path,
            followSymlinks: false,
            sandbox: managed({ type: "restricted", entries, glob_scan_max_depth: 4 }),
          },
          { path, sandbox: managed({ type: "unrestricted" }) },
          { path, sandbox: unconfined({ type: "disabled" }) },
          { path, sandbox: unconfined({ type: "external", network: "enabled" }) },
        ],
        result: [{ dataBase64: "aGVsbG8K" }],
      },
      "fs/writeFile": { params: [{ path, dataBase64: "aGVsbG8K", followSymlinks: true }], result: [{}] },
      "fs/createDirectory": {
        params: [{ path: "file:///srv/app/out", recursive: true, followSymlinks: true }],
        result: [{}],
      },
      "fs/getMetadata": {
        params: [{ path, followSymlinks: true }],
        result: [
          {
            isDirectory: false,
            isFile: true,
            isSymlink: false,
            size: 6,
            createdAtMs: 0,
            modifiedAtMs: 1_767_225_600_000,
          },
        ],
      },
      "fs/canonicalize": { params: [{ path }], result: [{ path }] },
      "fs/readDirectory": {
        params: [{ path: "file:///srv/app" }],
        result: [{ entries: [{ fileName: "main.c", isDirectory: false, isFile: true }] }],
      },
      "fs/walk": {
        params: [
          {
            path: "file:///srv/app",
            options: {
              maxDepth: 8,
              maxDirectories: 1000,
              maxEntries: 5000,
              followDirectorySymlinks: false,
              pruneHiddenDirectories: true,
            },
          },
        ],
        result: [
          {
            entries: [{ path, kind: "file" }],
            errors: [{ path: "file:///srv/app/secret", message: "permission denied" }],
            truncated: false,
          },
        ],
      },
      "fs/remove": { params: [{ path, recursive: false, force: true, followSymlinks: true }], result: [{}] },
      "fs/copy": {
        params: [{ sourcePath: path, destinationPath: "file:///srv/app/copy.c", recursive: false }],
        result: [{}],
      },
      "fs/rename": {
        params: [
          {
            sourcePath: "file:///srv/app/out.new",
            destinationPath: "file:///srv/app/out",
            overwrite: true,
            followSymlinks: true,
          },
        ],
        result: [{}],
      },
      "fs/setMode": { params: [{ path, mode: 0o644, followSymlinks: true }], result: [{}] },
      "fs/createSymlink": {
        params: [{ target: "../main.c", path: "file:///srv/app/src/main.c", followSymlinks: true }],
        result: [{}],
      },
      "fs/open": { params: [{ handleId: "h1", path, mode: "read" }], result: [{ handleId: "h1" }] },
      "fs/readBlock": {
        params: [{ handleId: "h1", offset: 0, len: 65_536 }],
        result: [{ chunk: "aGVsbG8K", eof: true }],
      },
      "fs/writeBlock": { params: [{ handleId: "h1", offset: 0, chunk: "aGVsbG8K" }], result: [{}] },
      "fs/close": { params: [{ handleId: "h1" }], result: [{}] },
      "fs/watchMissing": {
        params: [{ watchId: 1, missing: ["file:///srv/app/.git"], present: null }],
        result: [{ watching: true }],
      },
      "fs/missingChanged": { params: [{ watchId: 1 }] },
    }
  },
}
