import { errorCodes, modularAccountV2Delegates } from 'latchkey-protocol'
import { type Address, getAddress, type Hex, isAddressEqual, numberToHex, slice, zeroAddress, zeroHash } from 'viem'
import { hashAuthorization, recoverAuthorizationAddress } from 'viem/utils'
import { z } from 'zod'
import type { Chain } from '../chains/createChain.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { bytes, parseResult, quantity } from '../rpc/values.ts'
import { account, accountNotFound, chainId, signature } from './context.ts'

/* Accounts of EIP-7702: a signer's own address, which delegates to the code of a Modular Account v2. */

/** Code for an address that has no delegate yet: the release that every client supports. */
export const defaultDelegate: Address = modularAccountV2Delegates['v1.0.0']
/** Releases of the code, oldest first. */
const delegates: readonly Address[] = Object.values(modularAccountV2Delegates)

/** The capability `eip7702Auth`: the code to delegate to. */
export const delegationSchema = z.union([
  z.literal(true),
  z.object({ account: account.optional(), delegation: z.union([z.literal('ModularAccountV2'), account]) }),
])

/**
 * Returns the code that a call requires at the address.
 *
 * @throws `REQUEST_INVALID` for any other code, `METHOD_NOT_SUPPORTED` for the end of a delegation.
 */
export function readDelegate(given: z.output<typeof delegationSchema> | undefined, from: Address): Address {
  if (given === undefined || given === true) return defaultDelegate
  if (given.account && !isAddressEqual(given.account, from))
    throw invalid('eip7702Auth.account must be the address that the calls are from. Leave it out.')
  if (given.delegation === 'ModularAccountV2') return defaultDelegate
  if (given.delegation === zeroAddress) throw endedElsewhere()
  const wanted = given.delegation
  if (delegates.some((known) => isAddressEqual(known, wanted))) return wanted
  throw invalid(
    `An address delegates to known accounts only, and ${wanted} is none. Use one of: ModularAccountV2, ${delegates.join(', ')}.`,
  )
}

/**
 * Creates the refusal to end a delegation: the gateway sends no transactions, and an address without code cannot run an
 * operation.
 */
export function endedElsewhere(): RpcError {
  return new RpcError(
    'This server sends no transaction that ends a delegation. Send it by the key itself: `undelegate` of latchkey/accounts does.',
    { code: errorCodes.METHOD_NOT_SUPPORTED, rpcCode: rpcCodes.unsupportedCapability },
  )
}

/**
 * Returns whether an address needs an authorization to have the wanted code. An address with a later release of the
 * code does not need an authorization.
 *
 * @throws `DELEGATE_UNKNOWN` if the address delegates to other code, `ACCOUNT_NOT_FOUND` if it is a contract.
 */
export async function needsAuthorization(
  node: Chain['node'],
  { address, wanted = defaultDelegate }: { address: Address; wanted?: Address | undefined },
): Promise<boolean> {
  const code = parseResult(bytes, await node.call('eth_getCode', [address, 'latest']), 'a contract’s code')
  if (code === '0x') return true
  const digits = /^0xef0100([0-9a-f]{40})$/i.exec(code)?.[1]
  if (digits === undefined) throw accountNotFound(address)
  const found = getAddress(`0x${digits}`)
  const at = findRelease(found)
  if (at === -1)
    throw new RpcError(
      `The address ${address} delegates to code of another account, ${found}. Use it with the wallet that delegated it, or end that delegation first by a transaction of its key.`,
      { code: errorCodes.DELEGATE_UNKNOWN, rpcCode: rpcCodes.invalidParams },
    )
  return at < findRelease(wanted)
}

const findRelease = (delegate: Address) => delegates.findIndex((known) => isAddressEqual(known, delegate))

/** Returns an address's authorization for an estimate, with the right nonce but without a signature. */
export async function toStubAuthorization(
  { node, chainId: id }: Pick<Chain, 'node' | 'chainId'>,
  { address, delegate }: { address: Address; delegate: Address },
) {
  const nonce = parseResult(
    quantity,
    await node.call('eth_getTransactionCount', [address, 'pending']),
    'a nonce',
  ) as Hex
  return { chainId: numberToHex(id), address: delegate, nonce, r: zeroHash, s: zeroHash, yParity: '0x0' } as const
}

export function toAuthorizationCall({ address, nonce, chainId: id }: { address: Address; nonce: Hex; chainId: Hex }) {
  const rawPayload = hashAuthorization({ address, chainId: Number(id), nonce: Number(nonce) })
  return {
    type: 'authorization',
    data: { address, nonce },
    chainId: id,
    signatureRequest: { type: 'eip7702Auth', rawPayload },
  }
}

export const signedAuthorizationSchema = z.object({
  type: z.literal('authorization'),
  data: z.object({ address: account, nonce: quantity }),
  chainId,
  signature,
})

/**
 * Reads a signed authorization as the member `eip7702Auth` of an operation.
 *
 * @throws `REQUEST_INVALID` if the code is no known account, or if another key signed.
 */
export async function readSignedAuthorization(
  given: z.output<typeof signedAuthorizationSchema>,
  { sender, chain }: { sender: Address; chain: Chain },
): Promise<Record<string, Hex>> {
  const { address } = given.data
  const nonce = given.data.nonce as Hex
  if (given.chainId !== chain.chainId || findRelease(address) === -1)
    throw invalid('This authorization was not prepared here, or was changed since. Call wallet_prepareCalls again.')
  const { data } = given.signature
  const [r, s] = [slice(data, 0, 32), slice(data, 32, 64)]
  // Clients encode the parity as 0 or 1, or as v (27 or 28).
  const yParity = ['0x01', '0x1c'].includes(slice(data, 64, 65)) ? 1 : 0
  const authorization = { address, chainId: chain.chainId, nonce: Number(nonce), r, s, yParity }
  const signer = await recoverAuthorizationAddress({ authorization }).catch(() => zeroAddress)
  if (!isAddressEqual(signer, sender))
    throw invalid(
      `The authorization is not signed by the key of ${sender}. If that is the address of a contract, ask for it first: wallet_requestAccount with its signerAddress and creationHint.`,
    )
  return { chainId: numberToHex(chain.chainId), address, nonce, r, s, yParity: numberToHex(yParity) }
}

function invalid(message: string): RpcError {
  return new RpcError(message, { code: errorCodes.REQUEST_INVALID, rpcCode: rpcCodes.invalidParams })
}
