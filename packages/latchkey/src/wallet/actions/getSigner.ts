import type { Signer } from '../../signer/types.ts'
import type { LatchkeyConfig } from '../store/types.ts'

/** The signer; null on a server and until the page is mounted. */
export function getSigner(config: LatchkeyConfig): Signer | null {
  return config.clientStore.getState().signer ?? null
}
