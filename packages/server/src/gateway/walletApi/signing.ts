import { errorCodes } from 'latchkey-protocol'
import { type Address, concatHex, type Hex, hashMessage, hashTypedData, serializeErc6492Signature } from 'viem'
import { z } from 'zod'
import { hashTypedDataFairly, typedDataBounds } from '../../platform/crypto/hashTypedDataFairly.ts'
import { ServerError } from '../../platform/errors/ServerError.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { bytes, parseParams, parseResult } from '../rpc/values.ts'
import { account, chainId, data, findChain, signature, type WalletContext } from './context.ts'
import { findSender } from './findSender.ts'

const maxTypedDataLength = 65_536

const typedData = z
  .object({
    domain: z.record(z.string(), z.unknown()).optional(),
    types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() })).max(100)),
    primaryType: z.string(),
    message: z.record(z.string(), z.unknown()),
  })
  .refine((given) => JSON.stringify(given).length <= maxTypedDataLength, 'is too long')
const signatureRequest = z.union([
  z.object({ type: z.literal('personal_sign'), data: z.union([z.string().max(65_536), z.object({ raw: data })]) }),
  z.object({ type: z.literal('eth_signTypedData_v4'), data: typedData }),
])
export const prepareSchema = z.tuple([z.object({ from: account, chainId, signatureRequest })])
export const formatSchema = z.tuple([z.object({ from: account, chainId, signature })])

/**
 * Serves `wallet_prepareSign`: returns the payload that an owner signs so that the account's contract accepts a message
 * (ERC-1271). The payload is typed data that binds the message's hash to account and chain.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `CHAIN_NOT_FOUND`, `SIGNATURE_UNSUPPORTED`, `REQUEST_INVALID`.
 */
export async function prepareSign(context: WalletContext, params: unknown) {
  const [request] = parseParams(prepareSchema, params, 'params')
  const chain = findChain(context, request.chainId)
  const { code, delegate } = await findSender(context, { chain, address: request.from })
  const asked = request.signatureRequest
  const result = (made: object) => ({ chainId: `0x${chain.chainId.toString(16)}`, signatureRequest: made })
  if (code.erc1271 === 'none') throw unsupported()
  if (asked.type === 'eth_signTypedData_v4' && isDeferredAction(asked.data, request.from)) throw deferredActionError()
  const hash = asked.type === 'personal_sign' ? hashMessage(asked.data) : await hashTyped(asked.data)
  // Without code, the signature of the address's own key is valid.
  if (code.erc1271 === 'bare' || delegate) return result({ ...asked, rawPayload: hash })
  const wrapped = code.erc1271({ hash, account: request.from, chainId: chain.chainId })
  return result({ type: 'eth_signTypedData_v4', data: wrapped, rawPayload: hashTypedData(wrapped) })
}

/**
 * Serves `wallet_formatSign`: an owner's signature in the account's format, wrapped with the deployment data of an
 * undeployed account (ERC-6492).
 *
 * @throws `ACCOUNT_NOT_FOUND`, `CHAIN_NOT_FOUND`, `SIGNATURE_UNSUPPORTED`.
 */
export async function formatSign(context: WalletContext, params: unknown): Promise<{ signature: Hex }> {
  const [request] = parseParams(formatSchema, params, 'params')
  const chain = findChain(context, request.chainId)
  const { code, creation, delegate } = await findSender(context, { chain, address: request.from })
  if (code.erc1271 === 'none') throw unsupported()
  if (delegate) return { signature: request.signature.data }
  const formed = concatHex([code.messageMark, request.signature.data])
  if (!creation) return { signature: formed }
  const found = parseResult(bytes, await chain.node.call('eth_getCode', [request.from, 'latest']), 'a contract’s code')
  if (found !== '0x') return { signature: formed }
  const { factory: address, factoryData } = creation
  return { signature: serializeErc6492Signature({ address, data: factoryData, signature: formed }) }
}

/** A Modular Account v2 executes this typed data, so it is not a message for an application. */
function isDeferredAction({ primaryType, domain }: z.output<typeof typedData>, from: Address): boolean {
  return primaryType === 'DeferredAction' && String(domain?.verifyingContract).toLowerCase() === from.toLowerCase()
}

function deferredActionError(): RpcError {
  return new RpcError('A deferred action changes the account itself. Use wallet_createSession to add a key.', {
    code: errorCodes.SIGNATURE_UNSUPPORTED,
    rpcCode: rpcCodes.invalidParams,
  })
}

async function hashTyped({ domain = {}, ...given }: z.output<typeof typedData>): Promise<Hex> {
  try {
    return await hashTypedDataFairly({ domain, ...given }, { ...typedDataBounds })
  } catch (cause) {
    const fault = cause instanceof ServerError ? cause.message : 'is not typed data (EIP-712).'
    throw new RpcError(`Invalid params: params.0.signatureRequest.data: ${fault}`, {
      code: errorCodes.REQUEST_INVALID,
      rpcCode: rpcCodes.invalidParams,
      cause,
    })
  }
}

function unsupported(): RpcError {
  return new RpcError('An account of this type accepts no signature of a message.', {
    code: errorCodes.SIGNATURE_UNSUPPORTED,
    rpcCode: rpcCodes.invalidParams,
  })
}
