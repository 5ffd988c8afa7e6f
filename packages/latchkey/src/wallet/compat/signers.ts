// biome-ignore-all lint/suspicious/noUnsafeDeclarationMerging: the constructor returns all members of the interface.

import type { Address, Hex, SignableMessage, TypedDataDefinition, WalletClient } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { createSigner } from '../../signer/createSigner.ts'
import type { Signer } from '../../signer/types.ts'
import type { SmartAccountSigner } from './compat.ts'

/** Parameters of `new AlchemySigner`. */
export type AlchemySignerParams = createSigner.Parameters

/**
 * Calls `createSigner`, for code that uses `new`. Returns the object of `createSigner`, not an instance of this class.
 *
 * @throws `CLIENT_ONLY`, `REQUEST_INVALID`.
 *
 * @example
 * ```ts
 * import { AlchemySigner } from 'latchkey/compat'
 *
 * const iframeConfig = { iframeContainerId: 'signer' }
 * const signer = new AlchemySigner({ client: { connection: { apiKey: 'latchkey-dev' }, iframeConfig } })
 * console.log(signer.status)
 * ```
 */
export class AlchemySigner {
  constructor(parameters: AlchemySignerParams) {
    // biome-ignore lint/correctness/noConstructorReturn: callers of `new` get the signer itself.
    return createSigner(parameters)
  }

  /** Supports `instanceof`, because `new` returns the object of `createSigner`. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return typeof value === 'object' && value !== null && 'signerType' in value && 'authenticate' in value
  }
}

export interface AlchemySigner extends Signer {}

/** Statuses of the signer. */
export const AlchemySignerStatus = {
  INITIALIZING: 'INITIALIZING',
  CONNECTED: 'CONNECTED',
  DISCONNECTED: 'DISCONNECTED',
  AUTHENTICATING: 'AUTHENTICATING',
  AWAITING_EMAIL_AUTH: 'AWAITING_EMAIL_AUTH',
  AWAITING_MFA_AUTH: 'AWAITING_MFA_AUTH',
} as const satisfies { [status in Signer['status']]: status }
export type AlchemySignerStatus = Signer['status']

/**
 * Signs with a viem wallet client, such as a browser wallet.
 *
 * @throws `ARGUMENT_INVALID`, and `ACCOUNT_NOT_FOUND` if the wallet has no account.
 *
 * @example
 * ```ts
 * import { WalletClientSigner } from 'latchkey/compat'
 * import { createWalletClient, custom } from 'viem'
 *
 * const ethereum = { request: async () => ['0x000000000000000000000000000000000000dEaD'] }
 * const signer = new WalletClientSigner(createWalletClient({ transport: custom(ethereum) }), 'json-rpc')
 * console.log(await signer.getAddress())
 * ```
 */
export class WalletClientSigner implements SmartAccountSigner<WalletClient> {
  readonly signerType: string
  readonly inner: WalletClient

  constructor(client: WalletClient, signerType: string) {
    if (!signerType) throw noSignerType()
    this.inner = client
    this.signerType = signerType
  }

  async getAddress(): Promise<Address> {
    const { account } = this.inner
    const [address] = account ? [account.address] : await this.inner.getAddresses()
    if (address) return address
    throw new BaseError('The wallet has no account.', {
      code: 'ACCOUNT_NOT_FOUND',
      metaMessages: ['Connect it first (`eth_requestAccounts`), or make the wallet client with an `account`.'],
    })
  }

  async signMessage(message: SignableMessage): Promise<Hex> {
    const account = this.inner.account ?? (await this.getAddress())
    return this.inner.signMessage({ account, message })
  }

  async signTypedData(definition: TypedDataDefinition): Promise<Hex> {
    const account = this.inner.account ?? (await this.getAddress())
    return this.inner.signTypedData({ account, ...definition })
  }
}

function noSignerType(): BaseError {
  return new BaseError('Invalid signer type parameter passed to SmartAccountSigner.', {
    code: 'ARGUMENT_INVALID',
    metaMessages: ['A signerType must be provided.'],
    name: 'InvalidSignerTypeError',
  })
}
