import { freePorts } from '../../../dev/src/devnet/freePorts.ts'
import { DevError } from '../../../dev/src/errors.ts'

/** Starts on `count` neighboring free ports; they may be taken before they are used, so three attempts are made. */
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
