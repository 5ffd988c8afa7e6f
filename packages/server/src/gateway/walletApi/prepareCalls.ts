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
import { type AccountCode, dummySignature } from './accountTypes.ts'
import { toCallId } from './callsStatus.ts'
import { account, chainId, data, findChain, signature, type WalletContext } from './context.ts'
import {
  delegationSchema,
  endedElsewhere,
  readSignedAuthorization,
  signedAuthorizationSchema,
  toAuthorizationCall,
  toStubAuthorization,
} from './delegation.ts'
import { findSender, type Sender } from './findSender.ts'
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
  z.object({ calls: z.array(call).max(maxCalls).default([]), chainId, from: account, capabilities }),
])

/** Supported capabilities; others are refused unless they are optional. */
const served = z.object({
  paymasterService: paymasterService.optional(),
  gasParamsOverride: gasOverrides.optional(),
  nonceOverride: z.object({ nonceKey: quantity }).optional(),
  permissions: permissionsSchema.optional(),
  eip7702Auth: delegationSchema.optional(),
})
/** Unsupported members of `paymasterService`, which would change the signed operation. */
const refusedMembers = ['onlyEstimation', 'erc20']

/**
 * Serves `wallet_prepareCalls`: returns an account's calls as one user operation, complete except for its signature,
 * and the payload to sign. The project's policy in `paymasterService` pays; without a policy, the account pays. Uses
 * `latchkey_prepareUserOperation` and forwards its refusals.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `CHAIN_NOT_FOUND`, `REQUEST_INVALID`, and the errors of that method.
 */
export async function prepareCalls(context: WalletContext, params: unknown) {
  const [request] = parseParams(prepareSchema, params, 'params')
  const chain = findChain(context, request.chainId)
  const wanted = readCapabilities(request.capabilities)
  const { from, calls } = request
  const { code, creation, delegate } = await findSender(context, {
    chain,
    address: from,
    eip7702Auth: wanted.eip7702Auth,
  })
  if (calls.length === 0) throw invalid('params.0.calls must not be empty.')
  const isSponsored = wanted.paymasterService !== undefined
  const [{ session, nonceKey }, authorization] = await Promise.all([
    chooseSigner(context, { chain, sender: from, code, wanted }),
    delegate && toStubAuthorization(chain, { address: from, delegate }),
  ])
  if (session && authorization) throw undelegatedError(from)
  const callData = code.encodeCalls(calls, from)
  const policies = wanted.paymasterService?.policyIds ?? wanted.paymasterService?.policyId
  const { userOperation } = await prepareUserOperation({ ...context, chain }, [
    {
      entryPoint: code.entryPoint,
      ...(policies !== undefined && { policyId: policies }),
      sponsored: isSponsored,
      userOperation: {
        sender: from,
        callData: session?.hasExecutionHooks ? concatHex([executeUserOp, callData]) : callData,
        ...toDeployment(code, creation),
        ...(authorization && { eip7702Auth: authorization }),
      },
      nonceKey: numberToHex(nonceKey),
      dummySignature: dummySignature(toMark(code, session, nonceKey << 64n)),
      overrides: (wanted.gasParamsOverride ?? {}) as GasOverrides,
    },
  ])
  const hash = hashOperation(chain, code, userOperation)
  const prepared = {
    type: code.operationType,
    data: userOperation,
    chainId: numberToHex(chain.chainId),
    signatureRequest: { type: 'personal_sign', data: { raw: hash }, rawPayload: hashMessage({ raw: hash }) },
    feePayment: {
      sponsored: isSponsored,
      tokenAddress: zeroAddress,
      maxAmount: numberToHex(highestCost(userOperation)),
    },
  }
  const details = { type: 'user-operation', data: { hash, calls: calls.map(toPlainCall) } }
  if (!authorization) return { ...prepared, details }
  return { type: 'array', data: [toAuthorizationCall(authorization), prepared], details }
}

type Deployment = { initCode?: Hex; factory?: Address; factoryData?: Hex }

function toDeployment({ operationType }: AccountCode, creation: Sender['creation']): Deployment {
  if (!creation || operationType === 'user-operation-v070') return creation ?? {}
  return { initCode: concatHex([creation.factory, creation.factoryData]) }
}

type Signing = { chain: Chain; sender: Address; code: AccountCode; wanted: z.output<typeof served> }

/** Returns the key with permissions that signs instead of the owner, if any, and the entry point's nonce key. */
async function chooseSigner(context: WalletContext, { chain, sender, code, wanted }: Signing) {
  const session = wanted.permissions
    ? await readSession(context, { sender, chain, code, context: wanted.permissions.context })
    : undefined
  const key = BigInt(wanted.nonceOverride?.nonceKey ?? 0)
  const nonceKey = session
    ? await chooseNonceKey({ chain, entryPoint: code.entryPoint, sender, session, key })
    : (code.toNonceKey?.(key) ?? key)
  if (nonceKey < 2n ** 192n) return { session, nonceKey }
  throw invalid('The nonce key is too large for accounts of this type.')
}

function undelegatedError(from: Address): RpcError {
  return invalid(
    `The address ${from} does not delegate to its account yet, which only its owner can change. Send calls of the owner first.`,
  )
}

/** Selector at the start of the call data if the key has execution hooks. */
const executeUserOp = '0x8dd7712f'

function toMark(code: AccountCode, session: SessionEntity | undefined, nonce: bigint): Hex {
  return session ? toSessionMark(session, nonce) : code.operationMark
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
  return new RpcError(`The capability ${JSON.stringify(name.slice(0, 64))} is not supported here. Leave it out.`, {
    code: errorCodes.METHOD_NOT_SUPPORTED,
    rpcCode: rpcCodes.unsupportedCapability,
  })
}

function hashOperation(chain: Chain, { entryPoint }: AccountCode, userOperation: Record<string, Hex>): Hex {
  const key = readUserOperation(chain.chainId, [{ ...userOperation, signature: '0x' }, entryPoint])
  if (key) return key.userOpHash as Hex
  throw invalid('The user operation is not complete. Send it as wallet_prepareCalls returned it.')
}

function highestCost(operation: Record<string, Hex>): bigint {
  const gas = (name: string) => BigInt(operation[name] ?? 0)
  const isThrice = operation.paymasterAndData !== undefined && operation.paymasterAndData !== '0x'
  const verification = gas('verificationGasLimit') * (isThrice ? 3n : 1n)
  const paymaster = gas('paymasterVerificationGasLimit') + gas('paymasterPostOpGasLimit')
  return (gas('callGasLimit') + verification + gas('preVerificationGas') + paymaster) * gas('maxFeePerGas')
}

const signedCall = z.object({
  type: z.string().max(64),
  data: z.record(z.string(), z.unknown()),
  chainId,
  signature,
})
const sendCapabilities = z.object({ permissions: permissionsSchema.optional() }).optional()
const arraySchema = z.object({
  type: z.literal('array'),
  data: z.tuple([signedAuthorizationSchema, signedCall]),
  capabilities: sendCapabilities,
})
export const sendSchema = z.tuple([z.union([arraySchema, signedCall.extend({ capabilities: sendCapabilities })])])

/**
 * Serves `wallet_sendPreparedCalls`: sends the signed result of `wallet_prepareCalls`, with the authorization if the
 * address is not delegated yet. Accepts only an unchanged operation that this project prepared recently. Sending it
 * again is idempotent. The account's contract verifies the signature.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `CHAIN_NOT_FOUND`, `REQUEST_INVALID`, and the bundler's own error.
 */
export async function sendPreparedCalls(context: WalletContext, params: unknown) {
  const [request] = parseParams(sendSchema, params, 'params')
  if (request.type === 'authorization') throw endedElsewhere()
  const [authorization, call] = isArray(request) ? request.data : [undefined, request]
  const { db, caller, now, operations, logger } = context
  const chain = findChain(context, call.chainId)
  const [{ sender, nonce }] = parseParams(
    z.tuple([z.object({ sender: account, nonce: quantity.transform(BigInt) })]),
    [call.data],
    'params.0.data',
  )
  const eip7702Auth = authorization && (await readSignedAuthorization(authorization, { sender, chain }))
  const { code } = await findSender(context, { chain, address: sender, eip7702Auth: eip7702Auth && true })
  if (call.type !== code.operationType)
    throw invalid(`Operations of this account are of the type ${code.operationType}. Send them as they were prepared.`)
  const { signature: _, ...unsigned } = call.data
  const hash = hashOperation(chain, code, unsigned as Record<string, Hex>)
  const prepared = await findOperation(db, { userOpHash: hash, projectId: caller.projectId })
  if (!prepared?.prepared_at || prepared.chain_id !== String(chain.chainId))
    throw invalid('These calls were not prepared here, or were changed since. Call wallet_prepareCalls again.')
  // An operation that was already sent may be sent again later, even after this time.
  const isOut = ['sent', 'seen', 'included'].includes(prepared.state)
  if (!isOut && now() - prepared.prepared_at.getTime() > preparedMs)
    throw invalid('These calls were prepared too long ago. Call wallet_prepareCalls again.')
  const permissions = request.capabilities?.permissions
  const session = permissions && (await readSession(context, { sender, chain, code, context: permissions.context }))
  const signed = {
    ...unsigned,
    ...(eip7702Auth && { eip7702Auth }),
    signature: concatHex([toMark(code, session, nonce), call.signature.data]),
  }
  const outcome = await sendUserOperation({ db, chain, operations, caller, logger }, [signed, code.entryPoint])
  if ('error' in outcome) throw new UpstreamError(outcome.error)
  const id = toCallId(chain.chainId, hash)
  return { id, preparedCallIds: [id], details: { type: 'user-operation', data: { hash } } }
}

type SendRequest = z.output<typeof sendSchema>[0]

function isArray(request: SendRequest): request is z.output<typeof arraySchema> {
  return request.type === 'array'
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
