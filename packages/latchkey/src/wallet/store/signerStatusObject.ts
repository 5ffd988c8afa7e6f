import type { SignerStatus } from '../../signer/types.ts'
import type { SignerStatusObject } from './types.ts'

/** A signer status with its yes-or-no readings. */
export function signerStatusObject(status: SignerStatus): SignerStatusObject {
  return {
    status,
    isInitializing: status === 'INITIALIZING',
    isAuthenticating: status === 'AUTHENTICATING' || status === 'AWAITING_EMAIL_AUTH',
    isConnected: status === 'CONNECTED',
    isDisconnected: status === 'DISCONNECTED',
  }
}
