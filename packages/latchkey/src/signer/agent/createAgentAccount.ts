import { headers } from 'latchkey-protocol'
import type { Address, LocalAccount } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { createViemAccount } from '../actions/signing.ts'
import type { PendingConfirmation } from '../pending.ts'
import { createClock } from '../runner/api/createClock.ts'
import { createCustodyApi, type Stamper } from '../runner/api/createCustodyApi.ts'
import { joinSignature, signRawPayload } from '../runner/api/createSignerApi.ts'
import { stampWith } from '../runner/keys/createDeviceKeys.ts'
import type { createAgentKey } from './createAgentKey.ts'

export declare namespace createAgentAccount {
  type Parameters = {
    /** URL of the key-custody service. */
    custodyUrl: string
    /** `orgId` of the user. */
    organizationId: string
    /** Address of the user's key, the owner of their accounts. */
    address: Address
    /** Key pair that the user added with `signer.addAgentKey`. */
    key: createAgentKey.ReturnType
    /**
     * Called when a signature needs the user's confirmation by e-mail. The signature then waits for it.
     *
     * @default the service sends the e-mail, and the signature fails with `CONFIRMATION_NEEDED`
     */
    onConfirmation?: ((confirmation: PendingConfirmation) => void) | undefined
    /** Aborts all requests. */
    signal?: AbortSignal | undefined
  }
  type ReturnType = LocalAccount<'alchemy-signer'>
}

/**
 * Returns a viem account that signs for a user within the scope of an agent key. Use the account as the owner of the
 * user's smart account. Outside of the scope, the service asks the user for confirmation by e-mail.
 *
 * @throws `REQUEST_INVALID` for an invalid key; when signing `CONFIRMATION_NEEDED`, `CONFIRMATION_REFUSED`,
 * `HTTP_FAILED`, `NETWORK_UNREACHABLE`, `REQUEST_NOT_AUTHORIZED`, `TIMEOUT`.
 *
 * @example
 * ```ts
 * import { toLightAccount } from 'latchkey/accounts'
 * import { createAgentAccount } from 'latchkey/server'
 * import { publicClient } from './config.ts'
 *
 * export async function openAccount(key: { publicKey: string; privateKey: string }) {
 *   const owner = await createAgentAccount({
 *     custodyUrl: 'http://localhost:4102',
 *     organizationId: '46e6d6a3-9b53-4a8f-9f0a-9c5b8f5d3f21',
 *     address: '0x49fCE026Cb407cbbd7Ca9E0e1d868e94de55A1a4',
 *     key,
 *   })
 *   return toLightAccount({ client: publicClient, owner })
 * }
 * ```
 */
export async function createAgentAccount(
  parameters: createAgentAccount.Parameters,
): Promise<createAgentAccount.ReturnType> {
  const { custodyUrl, organizationId, address, key, onConfirmation, signal } = parameters
  const privateKey = await importKey(key.privateKey)
  const stamp: Stamper = async (body) => ({
    stampHeaderName: headers.apiKeyStamp,
    stampHeaderValue: await stampWith(key.publicKey, privateKey, body),
  })
  const urls = { custodyUrl, authFrameUrl: '', exportFrameUrl: '', importFrameUrl: '', rootOrgId: '' }
  const endpoints = { signerApiUrl: '', getConfig: async () => urls }
  return createViemAccount({ orgId: organizationId, userId: '', address }, async ({ content }) => {
    if (!content) throw digestError()
    let asked = false
    const begin = (confirmation: PendingConfirmation) => {
      asked = true
      if (onConfirmation) onConfirmation(confirmation)
      else confirmation.cancel()
      return () => {}
    }
    const custodyApi = createCustodyApi({ endpoints, clock: createClock(), confirmations: { begin } })
    const result = await custodyApi
      .submit(signRawPayload(organizationId, content, address), stamp, signal)
      .catch((cause: unknown) => {
        throw asked && !onConfirmation ? confirmationNeeded(cause) : cause
      })
    return joinSignature(result) as `0x${string}`
  })
}

/** PKCS #8 prefix of a P-256 private key without its public key (RFC 5958 § 2, RFC 5915 § 3). */
const pkcs8Start = '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420'

async function importKey(privateKey: string): Promise<CryptoKey> {
  const digits = privateKey.replace(/^0x/, '')
  if (!/^[0-9a-f]{64}$/i.test(digits)) throw keyError()
  const bytes = Uint8Array.from((pkcs8Start + digits).match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
  return crypto.subtle
    .importKey('pkcs8', bytes, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
    .catch((cause: unknown) => {
      throw keyError(cause)
    })
}

function keyError(cause?: unknown): BaseError {
  return new BaseError("The agent's private key is not valid.", {
    code: 'REQUEST_INVALID',
    cause,
    metaMessages: ['Pass a P-256 key of 64 hex digits, as `createAgentKey` returns it.'],
  })
}

function digestError(): BaseError {
  return new BaseError('The key of an agent signs no digests.', {
    code: 'REQUEST_NOT_AUTHORIZED',
    metaMessages: ['Sign user operations, transactions, messages and typed data by their own methods.'],
  })
}

function confirmationNeeded(cause: unknown): BaseError {
  return new BaseError('The user has to confirm this by email, since it is outside the scope of the key.', {
    code: 'CONFIRMATION_NEEDED',
    cause,
    metaMessages: ['Pass `onConfirmation` to wait for the user, or ask for less.'],
  })
}
