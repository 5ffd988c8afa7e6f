import { type Address, type Client, getAddress, type Hex, serializeErc6492Signature, slice } from 'viem'
import { BaseError } from '../core/errors/BaseError.ts'
import { convertRpcErrors } from './errors/RpcError.ts'
import type { AccountMembers, Delegation, ReadClient } from './types.ts'

type OperationSigner = Pick<AccountMembers, 'signUserOperationHash'>

export declare namespace createDeploymentMethods {
  type Parameters = {
    client: ReadClient
    address: Address
    /** Address created by the init code, if known. */
    predicted: Address | undefined
    /** Returns the init code. @throws `FACTORY_NOT_FOUND` if no factory is known. */
    requireInitCode(): Hex
  }
  type ReturnType = {
    isDeployed(): Promise<boolean>
    /** Returns factory address and factory call data, concatenated; `0x` once the account is deployed. */
    getInitCode(): Promise<Hex>
    /** Returns the init code as `factory` and `factoryData`. Both are undefined once the account is deployed. */
    getFactoryArgs(): Promise<{ factory?: Address; factoryData?: Hex }>
    /**
     * Returns the proxy's implementation (ERC-1967); zero before the account is deployed.
     * @throws `STORAGE_SLOT_FAILED`.
     */
    getImplementationAddress(): Promise<Address>
    /**
     * Signs with `sign`. Before the account is deployed, wraps the signature with the factory call (ERC-6492).
     * `signByKey` returns the owner key's own signature, for an EIP-7702 address without a delegation.
     */
    wrapSignature(sign: () => Promise<Hex>, signByKey: () => Promise<Hex>): Promise<Hex>
    delegation?: Delegation | undefined
    /** Wraps the account's signing method, for a delegated address (EIP-7702). */
    guard?: ((signing: OperationSigner) => OperationSigner) | undefined
  }
}

/**
 * Returns methods for an account's deployment state, implementation and init code.
 *
 * @throws `ACCOUNT_NOT_FOUND` if the init code would deploy another account.
 */
export function createDeploymentMethods(
  parameters: createDeploymentMethods.Parameters,
): createDeploymentMethods.ReturnType {
  const { client, address, predicted } = parameters
  // Once the account is deployed, the result is cached.
  let isKnown = false
  const isDeployed = async () => {
    isKnown ||= await hasCode(client, address)
    return isKnown
  }
  const requireOwnInitCode = () => {
    if (predicted && predicted !== address) throw otherAddressError(address, predicted)
    return parameters.requireInitCode()
  }
  return {
    isDeployed,
    getInitCode: async () => ((await isDeployed()) ? '0x' : requireOwnInitCode()),
    getFactoryArgs: async () => ((await isDeployed()) ? {} : splitInitCode(requireOwnInitCode())),
    getImplementationAddress: () => readImplementation(client, address),
    wrapSignature: async (sign) => {
      const [deployed, signature] = await Promise.all([isDeployed(), sign()])
      if (deployed) return signature
      const { factory, factoryData } = splitInitCode(requireOwnInitCode())
      return serializeErc6492Signature({ address: factory, data: factoryData, signature })
    },
  }
}

async function hasCode(client: Client, address: Address): Promise<boolean> {
  const request = client.request({ method: 'eth_getCode', params: [address, 'latest'] })
  return (await convertRpcErrors(request, 'Could not read whether the account is deployed.')).length > 2
}

/** Storage slot of the implementation (ERC-1967): keccak256('eip1967.proxy.implementation') - 1. */
const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

async function readImplementation(client: Client, address: Address): Promise<Address> {
  const request = client.request({ method: 'eth_getStorageAt', params: [address, implementationSlot, 'latest'] })
  const value = await convertRpcErrors(request, 'Could not read the implementation of the account.')
  if (value) return getAddress(`0x${value.slice(2).padStart(40, '0').slice(-40)}`)
  throw new BaseError(`Failed to get storage slot ${implementationSlot} (Proxy Implementation Address)`, {
    code: 'STORAGE_SLOT_FAILED',
    metaMessages: [`Account: ${address}`],
    name: 'FailedToGetStorageSlotError',
  })
}

function splitInitCode(initCode: Hex): { factory: Address; factoryData: Hex } {
  return { factory: slice(initCode, 0, 20), factoryData: `0x${initCode.slice(42)}` }
}

function otherAddressError(address: Address, predicted: Address): BaseError {
  return new BaseError(`There is no account at ${address}, and none can be made there.`, {
    code: 'ACCOUNT_NOT_FOUND',
    metaMessages: [
      `Owners and salt give the address ${predicted}.`,
      'Check `accountAddress` and the chain, or leave it out.',
    ],
  })
}
