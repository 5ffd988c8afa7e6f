import {
  type Address,
  type Client,
  getAddress,
  type Hex,
  isAddressEqual,
  numberToHex,
  zeroAddress,
  zeroHash,
} from 'viem'
import { BaseError } from '../core/errors/BaseError.ts'
import type { createDeploymentMethods } from './createDeploymentMethods.ts'
import { convertRpcErrors } from './errors/RpcError.ts'
import type { SmartAccountOwner } from './owner.ts'
import { toSignedFields } from './toSignedFields.ts'
import type { Eip7702Authorization, ReadClient } from './types.ts'

/** Releases of the code to which EIP-7702 accounts delegate. */
type Delegates = {
  /** Code that a new authorization delegates to. */
  readonly implementation: Address
  /** Later releases. An operation does not replace them. */
  readonly newer: readonly Address[]
  /** Earlier releases. The next operation replaces them. */
  readonly older: readonly Address[]
}

export declare namespace createDelegationMethods {
  type Place = { client: ReadClient; address: Address; owner: SmartAccountOwner; ownerAddress: Address }
  type Parameters = Place & {
    delegates: Delegates
    /** Whether operations contain the factory `0x7702`, which stands for the delegate. */
    namesDelegate: boolean
  }
  type ReturnType = createDeploymentMethods.ReturnType
}

/**
 * Returns the delegation of an EIP-7702 account, and methods that replace those of `createDeploymentMethods`. The
 * account counts as deployed while its address delegates to the account's code. There is no factory.
 */
export function createDelegationMethods(
  parameters: createDelegationMethods.Parameters,
): createDelegationMethods.ReturnType {
  const { client, address, owner, ownerAddress, delegates, namesDelegate } = parameters
  const { implementation, newer, older } = delegates
  const chainId = client.chain.id
  const isOneOf = (known: readonly Address[], delegate: Address) => known.some((one) => isAddressEqual(one, delegate))
  const readDelegate = async () => {
    const delegate = await readDelegateCode(client, address)
    if (delegate === undefined || isOneOf([implementation, ...newer, ...older], delegate)) return delegate
    throw foreignDelegateError(address, delegate, implementation)
  }
  // Not cached, because another wallet with the same key may change the delegation at any time.
  const isDeployed = async () => {
    const delegate = await readDelegateCode(client, address)
    return delegate !== undefined && isOneOf([implementation, ...newer], delegate)
  }
  const toAuthorization = async (signature: Pick<Eip7702Authorization, 'r' | 's' | 'yParity'>) => ({
    chainId: numberToHex(chainId),
    address: implementation,
    nonce: await readTransactionCount(client, address),
    ...signature,
  })
  return {
    isDeployed,
    getInitCode: async () => '0x',
    getFactoryArgs: async () =>
      namesDelegate && !(await isDeployed()) ? { factory: '0x7702', factoryData: '0x' } : {},
    getImplementationAddress: async () => (await readDelegate()) ?? zeroAddress,
    // Without a delegation, the address is a plain key, and the key's own signature is valid.
    wrapSignature: async (sign, signByKey) => ((await readDelegate()) === undefined ? signByKey() : sign()),
    guard: ({ signUserOperationHash }) => ({
      async signUserOperationHash(hash, content) {
        // The hash of EntryPoint 0.7 does not include the delegate, so the delegation is checked just before signing.
        await readDelegate()
        return signUserOperationHash(hash, content && { ...content, operation: toSignedFields(content.operation) })
      },
    }),
    delegation: {
      implementation,
      readDelegate,
      async getStubAuthorization() {
        const delegate = await readDelegate()
        if (delegate !== undefined && !isOneOf(older, delegate)) return undefined
        return toAuthorization({ r: zeroHash, s: zeroHash, yParity: '0x0' })
      },
      async signAuthorization() {
        await readDelegate()
        if (!owner.signAuthorization || !isAddressEqual(ownerAddress, address)) throw noKeyError(address)
        await requireCode(client, implementation)
        const { nonce, ...unsigned } = await toAuthorization({ r: '0x', s: '0x', yParity: '0x0' })
        const signed = await owner.signAuthorization({ address: implementation, chainId, nonce: Number(nonce) })
        const { r, s, yParity } = signed
        return { ...unsigned, nonce, r: toWord(r), s: toWord(s), yParity: yParity === 1 ? '0x1' : '0x0' }
      },
    },
  }
}

const toWord = (value: Hex): Hex => numberToHex(BigInt(value), { size: 32 })

/**
 * Returns the code to which an address delegates. Returns the address itself if it is a contract, and undefined if it
 * has no code.
 */
async function readDelegateCode(client: Client, address: Address): Promise<Address | undefined> {
  const code = await readCode(client, address)
  if (code.length <= 2) return undefined
  // Delegation indicator: 0xef0100 and the address of the delegate (EIP-7702 § Set code).
  const digits = /^0xef0100([0-9a-f]{40})$/i.exec(code)?.[1]
  return digits ? getAddress(`0x${digits}`) : address
}

/** Throws if the implementation has no code on the chain, because the account could then do nothing. */
async function requireCode(client: ReadClient, implementation: Address): Promise<void> {
  if ((await readCode(client, implementation)).length > 2) return
  throw new BaseError(`There is no code at ${implementation} on ${client.chain.name} (${client.chain.id}).`, {
    code: 'CHAIN_UNSUPPORTED',
    metaMessages: ['Nothing was signed. Use an account of a factory on this chain.'],
  })
}

function readCode(client: Client, address: Address): Promise<Hex> {
  const request = client.request({ method: 'eth_getCode', params: [address, 'latest'] })
  return convertRpcErrors(request, 'Could not read the code that the address delegates to.')
}

async function readTransactionCount(client: Client, address: Address): Promise<Hex> {
  const request = client.request({ method: 'eth_getTransactionCount', params: [address, 'pending'] })
  return convertRpcErrors(request, 'Could not read the nonce of the authorization.')
}

function foreignDelegateError(address: Address, delegate: Address, implementation: Address): BaseError {
  return new BaseError(`The address ${address} delegates to code of another account.`, {
    code: 'DELEGATE_UNKNOWN',
    metaMessages: [
      `Delegate: ${delegate}`,
      `Delegate of this account: ${implementation}`,
      'Nothing was signed. Use the address with the wallet that delegated it, or end that delegation first with `undelegate`.',
    ],
  })
}

function noKeyError(address: Address): BaseError {
  return new BaseError(`The owner cannot sign the authorization by which ${address} becomes an account.`, {
    code: 'SIGNATURE_UNSUPPORTED',
    metaMessages: ['Only the key of the address itself can: pass a viem local account, or `signer.toViemAccount()`.'],
  })
}
