import type { LatchkeyConfig, SignerStatusObject } from '../store/types.ts'

/** Status of the signer. The same object as long as the status is the same. */
export function getSignerStatus(config: LatchkeyConfig): SignerStatusObject {
  return config.clientStore.getState().signerStatus
}
