import { errorCodes, type GasOverrides } from 'latchkey-protocol'
import { type Address, concatHex, type Hex, hashMessage, numberToHex, zeroAddress } from 'viem'
import { z } from 'zod'
import { findOperation } from '../../store/operations.ts'
import type { Chain } from '../chains/createChain.ts'
import { sendUserOperation } from '../methods/eth_sendUserOperation.ts'
import { prepareUserOperation } from '../methods/latchkey_prepareUserOperation.ts'
import { readUserOperation } from '../operations/readUserOperation.ts'
import { RpcError, rpcCodes, UpstreamError } from '../rpc/RpcError.ts'
import { gasOverrides, parseParams, policyId, policyIds, quantity } from '../rpc/values.ts'
import { type AccountType, accountFactory, dummySignature } from './accountTypes.ts'
import { toCallId } from './callsStatus.ts'
import {
  account,
  chainId,
  data,
  findChain,
  noDelegation,
  requireAccount,
  signature,
  type WalletContext,
} from './context.ts'
import { readAccount } from './requestAccount.ts'
import { chooseNonceKey, permissionsSchema, readSession, type SessionEntity, toSessionMark } from './sessions.ts'

/** Milliseconds during which prepared calls can be sent: the lifetime of a paymaster's signature. */
const preparedMs = 600_000
const maxCalls = 200

const call = z.object({
  to: account,
  data: data.default('0x'),
  value: quantity.transform(BigInt).default(0n),
})
const paymasterService = z.object({ policyId: policyId.optional(), policyIds: policyIds.optional() })
const capabilities = z.record(z.string(), z.unknown()).default({})
export const prepareSchema = z.tuple([
  z.object({ calls: z.array(call).max(maxCalls), chainId, from: account, capabilities }),
])

/** Supported capabilities; others are refused unless they are optional. */
const served = z.object({
  paymasterService: paymasterService.optional(),
  gasParamsOverride: gasOverrides.optional(),
  nonceOverride: z.object({ nonceKey: quantity }).optional(),
  permissions: permissionsSchema.optional(),
})
/** Members of `paymasterService` that would change what is signed. */
const refusedMembers = ['onlyEstimation', 'erc20']

/**
 * Serves `wallet_prepareCalls`: an account's calls as one user operation, complete except for its signature, and the
 * payload to sign. Paid by the project's policy named in `paymasterService`, otherwise by the account. Uses
 * `latchkey_prepareUserOperation` and forwards its refusals.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `CHAIN_NOT_FOUND`, `REQUEST_INVALID`, and the errors of that method.
 */
export async function prepareCalls(context: WalletContext, params: unknown) {
  const [request] = parseParams(prepareSchema, params, 'params')
  const chain = findChain(context, request.chainId)
  const wanted = readCapabilities(request.capabilities)
  const { type, owners, salt } = readAccount(await requireAccount(context, request.from))
  // After the checks above, since clients name no calls to end a delegation.
  if (request.calls.length === 0) throw invalid('There are no calls. Name at least one.')
  const policies = wanted.paymasterService?.policyIds ?? wanted.paymasterService?.policyId
  const isSponsored = wanted.paymasterService !== undefined
  const creation = { factory: accountFactory(type), factoryData: type.encodeCreate(owners, salt) }
  const isOld = type.operationType === 'user-operation-v060'
  const sender = request.from
  const session = wanted.permissions
    ? await readSession(context, { sender, chain, type, context: wanted.permissions.context })
    : undefined
  const clientKey = BigInt(wanted.nonceOverride?.nonceKey ?? 0)
  const nonceKey = session
    ? await chooseNonceKey({ chain, entryPoint: type.entryPoint, sender, session, key: clientKey })
    : (type.toNonceKey?.(clientKey) ?? clientKey)
  if (nonceKey >= 2n ** 192n) throw invalid('The nonce key is too large for accounts of this type.')
  const callData = type.encodeCalls(request.calls, sender)
  const { userOperation } = await prepareUserOperation({ ...context, chain }, [
    {
      entryPoint: type.entryPoint,
      ...(policies !== undefined && { policyId: policies }),
      sponsored: isSponsored,
      userOperation: {
        sender,
        callData: session?.hasExecutionHooks ? concatHex([executeUserOp, callData]) : callData,
        ...(isOld ? { initCode: concatHex([creation.factory, creation.factoryData]) } : creation),
      },
      nonceKey: numberToHex(nonceKey),
      dummySignature: dummySignature(toMark(type, session, nonceKey << 64n)),
      overrides: (wanted.gasParamsOverride ?? {}) as GasOverrides,
    },
  ])
  const hash = hashOperation(chain, type, userOperation)
  return {
    type: type.operationType,
    data: userOperation,
    chainId: numberToHex(chain.chainId),
    signatureRequest: { type: 'personal_sign', data: { raw: hash }, rawPayload: hashMessage({ raw: hash }) },
    feePayment: {
      sponsored: isSponsored,
      tokenAddress: zeroAddress,
      maxAmount: numberToHex(highestCost(userOperation)),
    },
    details: { type: 'user-operation', data: { hash, calls: request.calls.map(toPlainCall) } },
  }
}

/** Selector at the start of the call data if the key has execution hooks. */
const executeUserOp = '0x8dd7712f'

/** Returns the signature prefix of an operation signed by the owner's or a session's key. */
function toMark(type: AccountType, session: SessionEntity | undefined, nonce: bigint): Hex {
  return session ? toSessionMark(session, nonce) : type.operationMark
}

function toPlainCall({ to, data: callData, value }: z.output<typeof call>) {
  return { to, data: callData, value: numberToHex(value) }
}

function readCapabilities(given: Record<string, unknown>): z.output<typeof served> {
  for (const [name, value] of Object.entries(given)) {
    const isOptional = typeof value === 'object' && (value as { optional?: unknown } | null)?.optional === true
    if (!Object.hasOwn(served.shape, name) && !isOptional) throw unsupported(name)
  }
  const service = given.paymasterService
  if (typeof service === 'object' && service !== null)
    for (const name of refusedMembers) if (Object.hasOwn(service, name)) throw unsupported(`paymasterService.${name}`)
  return parseParams(served, given, 'params.0.capabilities')
}

function unsupported(name: string): RpcError {
  const advice =
    name === 'eip7702Auth' ? `${noDelegation} Ask for an account by wallet_requestAccount.` : 'Leave it out.'
  return new RpcError(`The capability ${JSON.stringify(name.slice(0, 64))} is not supported here. ${advice}`, {
    code: errorCodes.METHOD_NOT_SUPPORTED,
    rpcCode: rpcCodes.unsupportedCapability,
  })
}

function hashOperation(chain: Chain, { entryPoint }: AccountType, userOperation: Record<string, Hex>): Hex {
  const key = readUserOperation(chain.chainId, [{ ...userOperation, signature: '0x' }, entryPoint])
  if (key) return key.userOpHash as Hex
  throw invalid('The user operation is not complete. Send it as wallet_prepareCalls returned it.')
}

/** Returns the highest cost in wei that the entry point may charge, under the rule of its version. */
function highestCost(operation: Record<string, Hex>): bigint {
  const gas = (name: string) => BigInt(operation[name] ?? 0)
  const isThrice = operation.paymasterAndData !== undefined && operation.paymasterAndData !== '0x'
  const verification = gas('verificationGasLimit') * (isThrice ? 3n : 1n)
  const paymaster = gas('paymasterVerificationGasLimit') + gas('paymasterPostOpGasLimit')
  return (gas('callGasLimit') + verification + gas('preVerificationGas') + paymaster) * gas('maxFeePerGas')
}

export const sendSchema = z.tuple([
  z.object({
    type: z.string().max(64),
    data: z.record(z.string(), z.unknown()),
    chainId,
    signature,
    capabilities: z.object({ permissions: permissionsSchema.optional() }).optional(),
  }),
])

/**
 * Serves `wallet_sendPreparedCalls`: sends what `wallet_prepareCalls` returned, signed. Accepts only an unchanged
 * operation that this project prepared recently. Sending it again is idempotent. The account's contract verifies the
 * signature.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `CHAIN_NOT_FOUND`, `REQUEST_INVALID`, and the bundler's own error.
 */
export async function sendPreparedCalls(context: WalletContext, params: unknown) {
  const [request] = parseParams(sendSchema, params, 'params')
  const { db, caller, now, operations, logger } = context
  const chain = findChain(context, request.chainId)
  const [{ sender, nonce }] = parseParams(
    z.tuple([z.object({ sender: account, nonce: quantity.transform(BigInt) })]),
    [request.data],
    'params.0.data',
  )
  const { type } = readAccount(await requireAccount(context, sender))
  if (request.type !== type.operationType)
    throw invalid(`Operations of this account are of the type ${type.operationType}. Send them as they were prepared.`)
  const { signature: _, ...unsigned } = request.data
  const hash = hashOperation(chain, type, unsigned as Record<string, Hex>)
  const prepared = await findOperation(db, { userOpHash: hash, projectId: caller.projectId })
  if (!prepared?.prepared_at || prepared.chain_id !== String(chain.chainId))
    throw invalid('These calls were not prepared here, or were changed since. Call wallet_prepareCalls again.')
  // An operation that was already sent may be sent again at any time.
  const isOut = ['sent', 'seen', 'included'].includes(prepared.state)
  if (!isOut && now() - prepared.prepared_at.getTime() > preparedMs)
    throw invalid('These calls were prepared too long ago. Call wallet_prepareCalls again.')
  const permissions = request.capabilities?.permissions
  const session = permissions && (await readSession(context, { sender, chain, type, context: permissions.context }))
  const signed = { ...unsigned, signature: concatHex([toMark(type, session, nonce), request.signature.data]) }
  const outcome = await sendUserOperation({ db, chain, operations, caller, logger }, [signed, type.entryPoint])
  if ('error' in outcome) throw new UpstreamError(outcome.error)
  const id = toCallId(chain.chainId, hash)
  return { id, preparedCallIds: [id], details: { type: 'user-operation', data: { hash } } }
}

function invalid(message: string): RpcError {
  return new RpcError(message, { code: errorCodes.REQUEST_INVALID, rpcCode: rpcCodes.invalidParams })
}

export const capabilitiesSchema = z.union([z.tuple([account]), z.tuple([account, z.array(chainId).max(100)])])

/** Serves `wallet_getCapabilities` (EIP-5792). */
export function getCapabilities({ chains }: WalletContext, params: unknown): Record<Hex, object> {
  const [, wanted] = parseParams(capabilitiesSchema, params, 'params') as [Address, number[]?]
  const shown = chains.filter((chain) => wanted === undefined || wanted.includes(chain.chainId))
  return Object.fromEntries(
    shown.map((chain) => [
      numberToHex(chain.chainId),
      { atomic: { status: 'supported' }, paymasterService: { supported: chain.schemes.length > 0 } },
    ]),
  )
}
