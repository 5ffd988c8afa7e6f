import type { LatchkeyConfig, SignerStatusObject } from '../store/types.ts'

/** Calls the listener when the signer's status changes. Returns an unsubscribe. */
export function watchSignerStatus(
  config: LatchkeyConfig,
): (listener: (status: SignerStatusObject) => void) => () => void {
  return (listener) =>
    config.clientStore.subscribe((state) => state.signerStatus, listener, {
      equalityFn: (left, right) => left.status === right.status,
    })
}
