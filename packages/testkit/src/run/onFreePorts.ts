import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { DevError } from '../../../dev/src/errors.ts'

/**
 * Calls `start` with the first of `count` consecutive free ports. Makes up to three attempts, because another process
 * may take a free port first.
 */
export async function onFreePorts<started>(count: number, start: (port: number) => Promise<started>): Promise<started> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePorts(count))
    } catch (error) {
      const isTaken = error instanceof DevError && error.code === 'PORT_TAKEN'
      if (!isTaken || attempt === 3) throw error
    }
  }
}
