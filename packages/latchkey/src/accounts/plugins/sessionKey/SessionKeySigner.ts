import { signerTypes } from 'latchkey-protocol'
import type { Address, Hex, LocalAccount, SignableMessage, TypedDataDefinition } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import type { StoragePort } from '../../../core/storage/StoragePort.ts'
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
 * Session key in the browser's storage. Use it as the `owner` of the modular account object that sends its operations.
 *
 * **The private key is stored in plain text**: all scripts of the page's origin and all extensions can read it. In
 * `local-storage`, the key remains until it is removed. A stolen key can do everything that its permissions allow, so
 * keep them narrow: contracts by address, a spend limit, a gas limit, a time range. An attacker who can only write to
 * the storage can insert another key, but that key has no permissions. A stored value that is not a key is replaced by
 * a new key.
 *
 * @throws `CLIENT_ONLY` outside of a browser page or without access to its storage, `STORAGE_FAILED`,
 * `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { SessionKeySigner, toModularAccount } from 'latchkey/accounts'
 * import { modularAccount, publicClient } from './config.ts'
 *
 * const owner = new SessionKeySigner({ storageType: 'session-storage' })
 * const accountAddress = modularAccount.address
 * export const sessionAccount = await toModularAccount({ client: publicClient, owner, accountAddress })
 * ```
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
    this.#account = (stored === null ? undefined : readAccount(stored)) ?? this.#makeAccount()
  }

  /** Session key as a viem account. */
  get inner(): LocalAccount {
    return this.#account
  }

  getAddress = async (): Promise<Address> => this.#account.address

  /** Signs a message (EIP-191). */
  signMessage = async (parameters: { message: SignableMessage }): Promise<Hex> => this.#account.signMessage(parameters)

  /** Signs typed data (EIP-712). */
  signTypedData = async (definition: TypedDataDefinition): Promise<Hex> => this.#account.signTypedData(definition)

  /**
   * Replaces the stored key and returns the new address. Other tabs use the old key until they are reloaded. Also
   * remove the old key from the account. If storing the new key fails, the old key remains.
   *
   * @throws `STORAGE_FAILED`.
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

/** Returns the account of a stored key; undefined if the stored value is not a key. */
function readAccount(stored: string): LocalAccount | undefined {
  try {
    return privateKeyToAccount(stored as Hex)
  } catch {
    return undefined
  }
}

function requireStorage(type: SessionKeyStorageType): StoragePort {
  const name = Object.hasOwn(storages, type) ? storages[type] : undefined
  // Rejects a misspelled type. Otherwise, a key for one tab could be stored permanently.
  if (!name) {
    throw new BaseError(`There is no storage of type ${type}.`, {
      code: 'ARGUMENT_INVALID',
      metaMessages: [`Pass ${Object.keys(storages).join(' or ')}.`],
    })
  }
  try {
    // Reading the property throws if the browser refuses storage.
    const found = (globalThis as { [name in 'localStorage' | 'sessionStorage']?: StoragePort })[name]
    // Without a configured file, Node has the storage object but none of its methods.
    if (typeof found?.getItem === 'function') return found
  } catch {
    // The error below reports the refusal.
  }
  throw new BaseError(`${name} is only available on the client`, {
    code: 'CLIENT_ONLY',
    metaMessages: ['Make a SessionKeySigner in a browser page that may use its storage.'],
  })
}
