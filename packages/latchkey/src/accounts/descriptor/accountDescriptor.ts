import { type Address, getAddress, type Hex, isAddress, isHex, recoverMessageAddress } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'

/** Data for using an account without its app and without Latchkey's services. Contains no secrets. */
export type AccountDescriptor = {
  format: 'latchkey-account-1'
  /** Type of the contract, such as `LightAccount`. */
  type: string
  version: string
  address: Address
  /** All owners that the account was created with, in the contract's order. */
  owners: readonly Address[]
  /** Decimal. */
  salt: string
  factory: Address
  entryPoint: Address
  /** Chain ids. */
  chains: readonly number[]
  /** Current or future implementation of the account's proxy. For information only. */
  implementation?: Address | undefined
  /**
   * Assets that the account may hold besides the chain's native currency: `TOKEN`, `TOKEN/ID` (ERC-721) or
   * `TOKEN/ID/all` (ERC-1155).
   */
  assets?: readonly string[] | undefined
}

/** Descriptor, signed by one of its owners (EIP-191). */
export type SignedAccountDescriptor = AccountDescriptor & { signature: Hex }

/** Returns the text that an owner signs: all fields that are set, in this order, without the signature. */
export function toSignedText(descriptor: AccountDescriptor): string {
  const { format, type, version, address, owners, salt, factory, entryPoint, chains } = descriptor
  const { implementation, assets } = descriptor
  const fields = { format, type, version, address, owners, salt, factory, entryPoint, chains, implementation, assets }
  return `Latchkey account descriptor\n${JSON.stringify(fields)}`
}

export declare namespace readAccountDescriptor {
  type Parameters = string
  type ReturnType = Promise<SignedAccountDescriptor & { signer: Address }>
}

/**
 * Parses a descriptor and verifies that one of its owners has signed it. Returns that owner as `signer`. The signature
 * only detects damage and changes: compare the address to make sure that the account is yours.
 *
 * @throws `ARGUMENT_INVALID`, `SIGNATURE_MISSING`, `SIGNATURE_INVALID`.
 *
 * @example
 * ```ts
 * import { describeAccount, readAccountDescriptor } from 'latchkey/accounts'
 * import { account } from './config.ts'
 *
 * const text = JSON.stringify(await describeAccount({ account }))
 * const { address, signer } = await readAccountDescriptor(text)
 * console.log(address, signer)
 * ```
 */
export async function readAccountDescriptor(text: readAccountDescriptor.Parameters): readAccountDescriptor.ReturnType {
  const descriptor = parse(text)
  const { signature, owners } = descriptor
  const signer = await recoverMessageAddress({ message: toSignedText(descriptor), signature }).catch(() => undefined)
  if (signer !== undefined && owners.includes(signer)) return { ...descriptor, signer }
  throw new BaseError('No owner of the account has signed this descriptor as it is: it was altered or damaged.', {
    code: 'SIGNATURE_INVALID',
    metaMessages: ['Download it again, or make it again with the key of an owner.'],
  })
}

function parse(text: string): SignedAccountDescriptor {
  const fields = parseObject(text)
  const { format, type, version, address, owners, salt, factory, entryPoint, chains } = fields
  const { implementation, assets, signature } = fields
  if (format !== 'latchkey-account-1') throw invalid('This is no account descriptor of the format latchkey-account-1.')
  const isWhole = isText(type) && isText(version) && isSalt(salt) && areOwners(owners) && areChains(chains)
  if (!isWhole || !isOwn(address) || !isOwn(factory) || !isOwn(entryPoint) || !areOptional(implementation, assets))
    throw invalid('The account descriptor lacks fields, or has wrong ones.')
  if (signature === undefined)
    throw new BaseError('The account descriptor is not signed.', {
      code: 'SIGNATURE_MISSING',
      metaMessages: ['Download it again, or make it again with the key of an owner.'],
    })
  if (!isHex(signature)) throw invalid('The signature of the account descriptor is none.')
  const descriptor = { format, type, version, address, owners, salt, factory, entryPoint, chains, signature } as const
  return {
    ...descriptor,
    ...(isOwn(implementation) && { implementation }),
    ...(areTexts(assets) && { assets }),
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 200
const isSalt = (value: unknown): value is string => isText(value) && /^\d{1,78}$/.test(value)
const areTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText)
const areOptional = (implementation: unknown, assets: unknown) =>
  (implementation === undefined || isOwn(implementation)) &&
  (assets === undefined || (areTexts(assets) && assets.length <= 200))
const areOwners = (value: unknown): value is Address[] =>
  Array.isArray(value) && value.length > 0 && value.length <= 100 && value.every(isOwn)
const areChains = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.length <= 100 && value.every(Number.isSafeInteger)
/** Validators of the fields, in the format that this package writes. */
const isOwn = (value: unknown): value is Address => isText(value) && isAddress(value) && getAddress(value) === value

function parseObject(text: string): Record<string, unknown> {
  // Longer text is no descriptor. The user may have selected the wrong file.
  if (text.length > 100_000) throw invalid('This is too long for an account descriptor.')
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch {
    // The check below reports invalid JSON.
  }
  throw invalid('This is no JSON object, so no account descriptor.')
}

const invalid = (message: string) => new BaseError(message, { code: 'ARGUMENT_INVALID' })
