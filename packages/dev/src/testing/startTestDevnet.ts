import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeData } from '../database/dataLocation.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { portCount } from '../devnet/devnetPorts.ts'
import { freePorts } from '../devnet/freePorts.ts'
import { DevError } from '../errors.ts'

export declare namespace startTestDevnet {
  type Options = Omit<startDevnet.Options, 'dataDir' | 'portBase' | 'fresh'>
  type ReturnType = Devnet
}

/**
 * Starts a devnet for one test file, on free ports and in a temporary folder that `close` deletes. All devnets of a
 * machine share the chain's genesis state, so all but the first start in about two seconds.
 *
 * @example
 * ```ts
 * import { startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet({ example: false })
 * console.log(devnet.urls.gateway)
 * await devnet.close()
 * ```
 */
export async function startTestDevnet(options: startTestDevnet.Options = {}): Promise<startTestDevnet.ReturnType> {
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-devnet-'))
  // When run as root, the database runs as another user, which needs access to the folder.
  chmodSync(dataDir, 0o711)
  const forget = (): void => {
    removeData(dataDir)
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const devnet = await startOnFreePorts({ ...options, dataDir })
    return {
      ...devnet,
      async close() {
        await devnet.close()
        forget()
      },
    }
  } catch (error) {
    forget()
    throw error
  }
}

/** Retries twice, because another process may take a free port first. */
async function startOnFreePorts(options: startDevnet.Options): Promise<Devnet> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await startDevnet({ ...options, portBase: await freePorts(portCount) })
    } catch (error) {
      const isTaken = error instanceof DevError && error.code === 'PORT_TAKEN'
      if (!isTaken || attempt === 3) throw error
    }
  }
}
