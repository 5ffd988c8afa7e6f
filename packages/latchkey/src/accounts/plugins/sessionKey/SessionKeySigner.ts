import type { Address, Hex, LocalAccount, SignableMessage, TypedDataDefinition } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import type { StoragePort } from '../../../core/storage/StoragePort.ts'
import { signerTypes } from '../../../wire/headers.ts'
import type { SmartAccountOwner } from '../../owner.ts'

const storages = { 'local-storage': 'localStorage', 'session-storage': 'sessionStorage' } as const
export type SessionKeyStorageType = keyof typeof storages

const defaultStorageKey = 'session-key-signer:session-key'

export declare namespace SessionKeySigner {
  type Parameters = {
    /** @default 'local-storage' */
    storageType?: SessionKeyStorageType | undefined
    /** @default 'session-key-signer:session-key' */
    storageKey?: string | undefined
  }
}

/**
 * A session key that lives in the browser, and the owner to make a modular account with for its operations.
 *
 * **The private key is stored in plain text**: every script of the page's origin can read it, an extension too, and in
 * `local-storage` it stays until it is removed. What a thief of it could do is what the key's permissions allow, so
 * keep these narrow: contracts by name, a spend limit, a gas limit, a time range. Who can write to the storage can only
 * put another key there, which the account does not know; what is no key gives way to a new one. Throws `CLIENT_ONLY`
 * outside a browser page that may use its storage, `STORAGE_FAILED` where the storage keeps nothing, `ARGUMENT_INVALID`.
 */
export class SessionKeySigner implements SmartAccountOwner {
  readonly signerType = signerTypes.sessionKey
  readonly #storage: StoragePort
  readonly #storageKey: string
  #account: LocalAccount

  constructor({ storageType = 'local-storage', storageKey = defaultStorageKey }: SessionKeySigner.Parameters = {}) {
    this.#storage = requireStorage(storageType)
    this.#storageKey = storageKey
    const stored = this.#storage.getItem(storageKey)
    this.#account = (stored === null ? undefined : accountOf(stored)) ?? this.#makeAccount()
  }

  /** The signer itself, as a viem account. */
  get inner(): LocalAccount {
    return this.#account
  }

  getAddress = async (): Promise<Address> => this.#account.address

  /** EIP-191. */
  signMessage = async (parameters: { message: SignableMessage }): Promise<Hex> => this.#account.signMessage(parameters)

  /** EIP-712. */
  signTypedData = async (definition: TypedDataDefinition): Promise<Hex> => this.#account.signTypedData(definition)

  /**
   * Replaces the stored key and answers the new one's address. The old one is gone here, in other tabs only once they
   * are loaded anew; remove it from the account too. Throws `STORAGE_FAILED`, and keeps the old one then.
   */
  generateNewKey(): Address {
    this.#account = this.#makeAccount()
    return this.#account.address
  }

  #makeAccount(): LocalAccount {
    const key = generatePrivateKey()
    try {
      this.#storage.setItem(this.#storageKey, key)
    } catch (cause) {
      throw new BaseError('The session key could not be stored.', {
        code: 'STORAGE_FAILED',
        metaMessages: ['Free some of the storage of the page, or allow it to keep data.'],
        cause,
      })
    }
    return privateKeyToAccount(key)
  }
}

/** The stored key; undefined where something else is stored, which then gives way to a new key. */
function accountOf(stored: string): LocalAccount | undefined {
  try {
    return privateKeyToAccount(stored as Hex)
  } catch {
    return undefined
  }
}

function requireStorage(type: SessionKeyStorageType): StoragePort {
  const name = Object.hasOwn(storages, type) ? storages[type] : undefined
  // A key that was to be forgotten with the tab must not stay for ever because of a slip.
  if (!name) {
    throw new BaseError(`There is no storage of type ${type}.`, {
      code: 'ARGUMENT_INVALID',
      metaMessages: [`Pass ${Object.keys(storages).join(' or ')}.`],
    })
  }
  try {
    // Reading the property throws where the browser forbids storage.
    const found = (globalThis as { [name in 'localStorage' | 'sessionStorage']?: StoragePort })[name]
    if (found) return found
  } catch {
    // Answered below.
  }
  throw new BaseError(`${name} is only available on the client`, {
    code: 'CLIENT_ONLY',
    metaMessages: ['Make a SessionKeySigner in a browser page that may use its storage.'],
  })
}
