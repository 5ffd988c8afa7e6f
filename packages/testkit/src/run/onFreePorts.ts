import { DevError } from '../../../dev/src/errors.ts'
import { freePorts } from '../../../dev/src/world/freePorts.ts'

/** Starts on `count` neighbouring free ports. Found free, they may be taken before they are used: three attempts. */
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
