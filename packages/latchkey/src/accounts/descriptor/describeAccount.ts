import {
  type Address,
  type Chain,
  decodeFunctionData,
  getAddress,
  type Hex,
  isAddressEqual,
  parseAbi,
  size,
  slice,
  zeroAddress,
} from 'viem'
import { requireChain } from '../../core/arguments.ts'
import {
  getLightAccountContracts,
  getModularAccountContracts,
  getMultiOwnerLightAccountContracts,
} from '../../core/chains/accountContracts.ts'
import { getModularAccountV2Contracts } from '../../core/chains/modularAccountV2Contracts.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { lightAccountVersions } from '../lightAccount/versions.ts'
import type { SmartAccountOwner } from '../owner.ts'
import { type SignedAccountDescriptor, toSignedText } from './accountDescriptor.ts'

export declare namespace describeAccount {
  type Parameters = {
    /** Account of this package. Its owner signs the descriptor. */
    account: {
      readonly address: Address
      readonly client: { readonly chain?: Chain | undefined }
      readonly source: string
      readonly version: string
      readonly entryPoint: { readonly address: Address }
      getSigner(): SmartAccountOwner
      getFactoryInitCode(): Promise<Hex>
      getImplementationAddress(): Promise<Address>
    }
    /** Ids of the chains on which the account is used. @default the account's chain */
    chains?: readonly number[] | undefined
    /** Assets that the account may hold: `TOKEN`, `TOKEN/ID` or `TOKEN/ID/all`. @default none */
    assets?: readonly string[] | undefined
  }
  type ReturnType = Promise<SignedAccountDescriptor>
}

/**
 * Returns the descriptor of an account, signed by its owner. With the descriptor and the key, the user can use the
 * account without its app and without Latchkey's services, for example with `latchkey-dev exit` and its page. Contains
 * no secrets.
 *
 * @throws `SIGNATURE_UNSUPPORTED` if the owner is a contract; `UNSUPPORTED_ACCOUNT_TYPE` for a Modular Account v2 in a
 * mode other than `default`; `FACTORY_NOT_FOUND`, `STORAGE_SLOT_FAILED`, `SIGNER_NOT_AUTHENTICATED`.
 *
 * @example
 * ```ts
 * import { describeAccount } from 'latchkey/accounts'
 * import { account } from './config.ts'
 *
 * const descriptor = await describeAccount({ account })
 * const file = JSON.stringify(descriptor, null, 2)
 * console.log(file)
 * ```
 */
export async function describeAccount(parameters: describeAccount.Parameters): describeAccount.ReturnType {
  const { account, chains, assets } = parameters
  const { client, address, source, version } = account
  const owner = account.getSigner()
  if (owner.isContract)
    throw new BaseError('The owner is a contract, whose signature a descriptor does not take.', {
      code: 'SIGNATURE_UNSUPPORTED',
      metaMessages: ['Describe the account with an owner that has a key.'],
    })
  const [initCode, held] = await Promise.all([account.getFactoryInitCode(), account.getImplementationAddress()])
  if (size(initCode) < 20) throw noFactoryError()
  const chain = requireChain(client)
  const implementation = isAddressEqual(held, zeroAddress) ? findImplementation(source, version, chain) : held
  const descriptor = {
    format: 'latchkey-account-1',
    type: source,
    version,
    address,
    ...decodeCreation(slice(initCode, 20)),
    factory: getAddress(slice(initCode, 0, 20)),
    entryPoint: account.entryPoint.address,
    chains: chains ?? [chain.id],
    ...(implementation && { implementation }),
    ...(assets && { assets }),
  } as const
  return { ...descriptor, signature: await owner.signMessage({ message: toSignedText(descriptor) }) }
}

const factoriesAbi = /* @__PURE__ */ parseAbi([
  'function createSemiModularAccount(address owner, uint256 salt) returns (address)',
  'function createAccount(address owner, uint256 salt) returns (address)',
  'function createAccount(address[] owners, uint256 salt) returns (address)',
  'function createAccount(uint256 salt, address[] owners) returns (address)',
])

/** Creates the error for an EIP-7702 account. Its key is enough to use it, so it needs no descriptor. */
function noFactoryError(): BaseError {
  return new BaseError('An account at the address of its own key needs no descriptor.', {
    code: 'UNSUPPORTED_ACCOUNT_TYPE',
    metaMessages: ['Export the key: with it alone, the address and its assets can be used.'],
  })
}

/** Decodes the owners and the salt of a factory call. @throws `UNSUPPORTED_ACCOUNT_TYPE`. */
export function decodeCreation(data: Hex): { owners: readonly Address[]; salt: string } {
  const { args } = decodeCreate(data)
  const [first, second] = args
  const salt = typeof first === 'bigint' ? first : second
  const owners = typeof first === 'bigint' ? second : first
  return { owners: typeof owners === 'string' ? [owners] : Array.isArray(owners) ? owners : [], salt: String(salt) }
}

function decodeCreate(data: Hex) {
  try {
    return decodeFunctionData({ abi: factoriesAbi, data })
  } catch (cause) {
    throw new BaseError('A descriptor cannot name the factory call that creates this account.', {
      code: 'UNSUPPORTED_ACCOUNT_TYPE',
      metaMessages: ['Describe an account that an address owns; of the modes of a Modular Account v2, only `default`.'],
      cause,
    })
  }
}

function findImplementation(source: string, version: string, chain: Chain): Address | undefined {
  if (source === 'MultiOwnerModularAccount') return getModularAccountContracts(chain)?.implementation
  if (source === 'ModularAccountV2') return getModularAccountV2Contracts({ mode: 'default', chain })?.implementation
  if (source === 'MultiOwnerLightAccount')
    return getMultiOwnerLightAccountContracts({ version: 'v2.0.0', chain })?.implementation
  const known = lightAccountVersions.find((one) => one === version)
  return known && getLightAccountContracts({ version: known, chain })?.implementation
}
