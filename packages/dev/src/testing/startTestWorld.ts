import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeData } from '../database/dataLocation.ts'
import { DevError } from '../errors.ts'
import { freePorts } from '../world/freePorts.ts'
import { startWorld, type World } from '../world/world.ts'
import { portCount } from '../world/worldPorts.ts'

export declare namespace startTestWorld {
  type Options = Omit<startWorld.Options, 'dataDir' | 'portBase' | 'fresh'>
  type ReturnType = World
}

/**
 * A world of its own for a test file, on free ports, in a folder that `close` removes. The chain's first state is
 * shared by all worlds of the machine, so every one after the first starts in about two seconds.
 *
 * @example
 * ```ts
 * import { startTestWorld } from 'latchkey-dev/testing'
 *
 * const world = await startTestWorld({ example: false })
 * console.log(world.urls.gateway)
 * await world.close()
 * ```
 */
export async function startTestWorld(options: startTestWorld.Options = {}): Promise<startTestWorld.ReturnType> {
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-world-'))
  // Under root the database runs as another user, who must be able to pass.
  chmodSync(dataDir, 0o711)
  const forget = (): void => {
    removeData(dataDir)
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const world = await startOnFreePorts({ ...options, dataDir })
    return {
      ...world,
      async close() {
        await world.close()
        forget()
      },
    }
  } catch (error) {
    forget()
    throw error
  }
}

/** Ports found free may be taken by a neighbour before they are used: three attempts. */
async function startOnFreePorts(options: startWorld.Options): Promise<World> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startWorld({ ...options, portBase: await freePorts(portCount) })
    } catch (error) {
      const isTaken = error instanceof DevError && error.code === 'PORT_TAKEN'
      if (!isTaken || attempt === 3) throw error
    }
  }
}
