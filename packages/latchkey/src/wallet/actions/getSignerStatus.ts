import type { LatchkeyConfig, SignerStatusObject } from '../store/types.ts'

export declare namespace getSignerStatus {
  type ReturnType = SignerStatusObject
}

/** Status of the signer. The same object as long as the status is the same. */
export function getSignerStatus(config: LatchkeyConfig): getSignerStatus.ReturnType {
  return config.clientStore.getState().signerStatus
}
