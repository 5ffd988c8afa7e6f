import { handOverChunk } from './jobs/openBundle.ts'
import type { MachineState } from './machine/types.ts'
import type { SignerRunner } from './runMachine.ts'

export type HandOvers = { follow(state: MachineState): void; stop(): void }

/** Accepts links that other tabs opened, if only this tab's frame has the key. Starts with the first sign-in e-mail. */
export function followHandOvers(runner: SignerRunner): HandOvers {
  let life: 'new' | 'begun' | 'stopped' = 'new'
  let stop: (() => void) | undefined
  const begin = async () => {
    if (await runner.context.authFrame.isKept()) return
    const { takeBundles } = await handOverChunk.load()
    if (life === 'begun') stop = takeBundles(runner)
  }
  return {
    follow({ status }) {
      if (status !== 'AWAITING_EMAIL_AUTH' || life !== 'new') return
      life = 'begun'
      begin().catch(() => {
        // The frame or the chunk failed to load. The next e-mail retries.
        if (life === 'begun') life = 'new'
      })
    },
    stop() {
      life = 'stopped'
      stop?.()
    },
  }
}
