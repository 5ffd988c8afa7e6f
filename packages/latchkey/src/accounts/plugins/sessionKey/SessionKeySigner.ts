import type { Address, Hex, LocalAccount, SignableMessage, TypedDataDefinition } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import type { StoragePort } from '../../../core/storage/StoragePort.ts'
import { signerTypes } from '../../../wire/headers.ts'
import type { SmartAccountOwner } from '../../owner.ts'

export type SessionKeyStorageType = 'local-storage' | 'session-storage'

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
 * keep these narrow: contracts by name, a spend limit, a time range. Made by `generateNewKey()` when there is none.
 * Works in a browser only (`CLIENT_ONLY` elsewhere).
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

  /** Replaces the stored key and answers the new one's address. The old one is gone; remove it from the account too. */
  generateNewKey(): Address {
    this.#account = this.#makeAccount()
    return this.#account.address
  }

  #makeAccount(): LocalAccount {
    const key = generatePrivateKey()
    this.#storage.setItem(this.#storageKey, key)
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
  const name = type === 'session-storage' ? 'sessionStorage' : 'localStorage'
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
