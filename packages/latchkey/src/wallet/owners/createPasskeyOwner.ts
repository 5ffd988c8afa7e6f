import type { WebAuthnAccount } from 'viem/account-abstraction'
import { createOwnerPasskey } from '../../web/passkey/createOwnerPasskey.ts'
import type { LatchkeyConfig } from '../store/types.ts'

/**
 * Creates a passkey of the config's relying party that becomes an owner of the account.
 *
 * @throws The errors of `createOwnerPasskey`.
 */
export function createPasskeyOwner({ clientStore }: LatchkeyConfig, name: string): Promise<WebAuthnAccount> {
  return createOwnerPasskey(clientStore.getState().config.rpId, name)
}
