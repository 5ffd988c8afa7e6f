import type { Signer } from '../../signer/types.ts'
import type { LatchkeyConfig } from '../store/types.ts'

export declare namespace getSigner {
  type ReturnType = Signer | null
}

/** The signer; null on a server and until the page is mounted. */
export function getSigner(config: LatchkeyConfig): getSigner.ReturnType {
  return config.clientStore.getState().signer ?? null
}
