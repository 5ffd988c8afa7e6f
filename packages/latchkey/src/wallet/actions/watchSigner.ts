import type { Signer } from '../../signer/types.ts'
import type { LatchkeyConfig } from '../store/types.ts'

/** Calls the listener when the signer is made. Returns an unsubscribe. */
export function watchSigner(config: LatchkeyConfig): (listener: (signer: Signer | null) => void) => () => void {
  return (listener) => config.clientStore.subscribe((state) => state.signer ?? null, listener)
}
