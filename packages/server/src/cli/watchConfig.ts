import { createHash } from 'node:crypto'
import type { createServer } from '../app/createServer.ts'
import type { Logger } from '../platform/observability/logger.ts'
import { hashConfigFiles, isReloaded } from './configFiles.ts'
import type { Environment } from './createReader.ts'
import { readConfig } from './readConfig.ts'

export declare namespace watchConfig {
  type Parameters = {
    environment: Environment
    server: Pick<createServer.ReturnType, 'reload'>
    logger: Logger
    /** Hashes of the files as read at the server's start (see `hashConfigFiles`). */
    atStart: ReadonlyMap<string, string>
    /** Milliseconds between checks of the files. @default 2000 */
    pollMs?: number | undefined
  }
  type ReturnType = {
    /** Reads all files immediately, changed or not, as on SIGHUP. */
    reload(): Promise<void>
    close(): Promise<void>
  }
}

/**
 * Reloads a server when its configuration files change. Polls and compares contents, which also detects a replaced file
 * and a symbolic link with a new target. A refused change is retried at each check, since another role may have to read
 * it first, but is logged only once.
 */
export function watchConfig(parameters: watchConfig.Parameters): watchConfig.ReturnType {
  const { environment, server, logger, atStart, pollMs = 2_000 } = parameters
  let used = atStart
  let refused: string | undefined
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> = Promise.resolve()

  async function look({ isForced }: { isForced: boolean }): Promise<void> {
    const files = hashConfigFiles(environment)
    const changed = listChanged(used, files)
    if (!isForced && changed.length === 0 && refused === undefined) return
    const hash = hashAll(files)
    const isRetry = !isForced && refused === hash
    if (!isRetry) warnRestart(listChanged(atStart, files))
    // A change of other settings, such as keys and URLs, needs a restart.
    const isWanted = isForced || refused !== undefined || changed.some(isReloaded)
    const fields = { config: hash.slice(0, 12), changed }
    const read = () => readConfig(environment).server
    const isUsed = !isWanted || (await server.reload({ read, fields, isRetry }))
    refused = isUsed ? undefined : hash
    if (isUsed) used = files
  }

  function warnRestart(changed: readonly string[]): void {
    const names = changed.filter((name) => !isReloaded(name))
    if (names.length > 0)
      logger.warn({ settings: names }, 'Changed settings need a restart; the previous values stay in use')
  }

  function plan(): void {
    if (isClosed) return
    timer = setTimeout(() => void enqueue({ isForced: false }).then(plan), pollMs)
    timer.unref()
  }

  function enqueue(options: { isForced: boolean }): Promise<void> {
    working = working.then(() => (isClosed ? undefined : look(options)))
    return working
  }

  plan()
  return {
    reload: () => enqueue({ isForced: true }),
    async close() {
      isClosed = true
      clearTimeout(timer)
      await working
    },
  }
}

function listChanged(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...after].flatMap(([name, hash]) => (before.get(name) === hash ? [] : [name]))
}

function hashAll(files: ReadonlyMap<string, string>): string {
  return createHash('sha256')
    .update(JSON.stringify([...files]))
    .digest('hex')
}
