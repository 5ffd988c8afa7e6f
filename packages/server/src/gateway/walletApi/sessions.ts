import { randomBytes, randomUUID } from 'node:crypto'
import {
  errorCodes,
  modularAccountV2Modules,
  type Permission,
  type PermissionPlan,
  planPermissions,
} from 'latchkey-protocol'
import {
  type Address,
  concatHex,
  decodeFunctionResult,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  numberToHex,
  padHex,
  parseAbi,
  parseAbiParameters,
  size,
  slice,
  type TypedDataDefinition,
} from 'viem'
import { z } from 'zod'
import type { Chain } from '../chains/createChain.ts'
import { readNonce } from '../methods/latchkey_prepareUserOperation.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { bytes, parseParams, parseResult, quantity } from '../rpc/values.ts'
import type { AccountCode } from './accountTypes.ts'
import { account, chainId, data, findChain, type WalletContext } from './context.ts'
import { findSender } from './findSender.ts'
import { reserveCapacity } from './requestAccount.ts'
import { findSession, insertSession } from './smartAccounts.ts'

const functions = z.array(data).max(100)
const hexQuantity = quantity.transform((text) => text as Hex)
const permission = z.discriminatedUnion('type', [
  z.object({ type: z.literal('native-token-transfer'), data: z.object({ allowance: hexQuantity }) }),
  z.object({ type: z.literal('erc20-token-transfer'), data: z.object({ address: account, allowance: hexQuantity }) }),
  z.object({ type: z.literal('gas-limit'), data: z.object({ limit: hexQuantity }) }),
  z.object({ type: z.literal('contract-access'), data: z.object({ address: account }) }),
  z.object({ type: z.literal('account-functions'), data: z.object({ functions }) }),
  z.object({ type: z.literal('functions-on-all-contracts'), data: z.object({ functions }) }),
  z.object({ type: z.literal('functions-on-contract'), data: z.object({ address: account, functions }) }),
  z.object({ type: z.literal('root') }),
])
export const createSessionSchema = z.tuple([
  z.object({
    account,
    chainId,
    key: z.object({ type: z.enum(['secp256k1', 'ecdsa', 'contract']), publicKey: account }),
    permissions: z.array(permission).min(1).max(100),
    expirySec: z.int().min(0).max(9_999_999_999).default(0),
  }),
])

const abi = parseAbi([
  'function installValidation(bytes25 validationConfig, bytes4[] selectors, bytes installData, bytes[] hooks)',
  'function getValidationData(bytes24 validationFunction) view returns ((uint8 validationFlags, bytes25[] validationHooks, bytes25[] executionHooks, bytes4[] selectors))',
])

/**
 * Serves `wallet_createSession`: returns typed data with which the owner of a Modular Account v2 grants permissions to
 * another key. Nothing is on the chain until the key's first operation, which contains the owner's signature.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `CHAIN_NOT_FOUND`, `UNSUPPORTED_ACCOUNT_TYPE`, `PERMISSIONS_INVALID`,
 * `RATE_LIMIT_EXCEEDED`.
 */
export async function createSession(context: WalletContext, params: unknown) {
  const [request] = parseParams(createSessionSchema, params, 'params')
  const { account: sender, key, expirySec } = request
  const chain = findChain(context, request.chainId)
  const { code } = await findSender(context, { chain, address: sender })
  if (!code.toNonceKey) throw unsupportedType()
  const entityId = 1 + (randomBytes(4).readUInt32BE() % 2_147_483_646)
  const plan = planPermissions({
    account: sender,
    entityId,
    permissions: request.permissions as readonly Permission[],
    expirySec,
  })
  if ('refused' in plan) throw invalid(plan.refused, errorCodes.PERMISSIONS_INVALID)
  const call = encodeInstall(plan, { key: key.publicKey, entityId })
  // The entity id is new, so this is its first nonce.
  const nonce = toEntityKey({ entityId, isGlobal: plan.isGlobal, isDeferred: true }) << 64n
  await reserveCapacity(context)
  const id = randomUUID()
  await insertSession(context.db, {
    id,
    project_id: context.caller.projectId,
    address: sender.toLowerCase(),
    chain_id: String(chain.chainId),
    entity_id: entityId,
    is_global: plan.isGlobal,
    has_execution_hooks: plan.hasExecutionHooks,
    install_call: call,
    deadline: String(expirySec),
  })
  const typedData = toTypedData({ chainId: chain.chainId, sender, nonce, deadline: expirySec, call })
  return {
    sessionId: `0x${id.replaceAll('-', '')}`,
    chainId: numberToHex(chain.chainId),
    signatureRequest: { type: 'eth_signTypedData_v4', data: typedData, rawPayload: hashTypedData(typedData) },
  }
}

function toTypedData(action: {
  chainId: number
  sender: Address
  nonce: bigint
  deadline: number
  call: Hex
}): TypedDataDefinition {
  const { chainId, sender, nonce, deadline, call } = action
  return {
    domain: { chainId, verifyingContract: sender },
    types: {
      DeferredAction: [
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint48' },
        { name: 'call', type: 'bytes' },
      ],
    },
    primaryType: 'DeferredAction',
    // Hex, since JSON numbers cannot represent a 256-bit nonce.
    message: { nonce: numberToHex(nonce, { size: 32 }), deadline, call },
  }
}

function encodeInstall(plan: PermissionPlan, { key, entityId }: { key: Address; entityId: number }): Hex {
  const flags = 1 | (plan.isGlobal ? 4 : 0)
  const config = concatHex([toEntity(modularAccountV2Modules.singleSigner, entityId), numberToHex(flags, { size: 1 })])
  const hooks = plan.hooks.map(({ module, entityId: id, hookType, hasPreHooks, types, values }) => {
    const hookFlags = (hookType === 'Validation' ? 1 : 0) | (hasPreHooks ? 4 : 0)
    const onInstall = encodeAbiParameters(parseAbiParameters(types), values)
    return concatHex([toEntity(module, id), numberToHex(hookFlags, { size: 1 }), onInstall])
  })
  const installData = encodeAbiParameters(parseAbiParameters('uint32, address'), [entityId, key])
  const args = [config, plan.selectors, installData, hooks] as const
  return encodeFunctionData({ abi, functionName: 'installValidation', args })
}

const toEntity = (module: Hex, entityId: number) => concatHex([module, numberToHex(entityId, { size: 4 })])

type Entity = { entityId: number; isGlobal: boolean }

/** Encodes the nonce key of an entity: its id (32 bits) and options (8). */
function toEntityKey({ entityId, isGlobal, isDeferred }: Entity & { isDeferred: boolean }): bigint {
  return (BigInt(entityId) << 8n) | (isGlobal ? 1n : 0n) | (isDeferred ? 2n : 0n)
}

/** Permissions of a call, as clients send them. */
export const permissionsSchema = z.union([
  z.object({ context: data }),
  z.object({ sessionId: data, signature: data }).transform(({ sessionId, signature }) => ({
    context: concatHex(['0x00', sessionId, signature]),
  })),
])

/** Key that acts for an account within permissions. */
export type SessionEntity = Entity & {
  hasExecutionHooks: boolean
  /** Installation of the key in the form of an operation's signature, with the nonce of that operation. */
  installation: { nonce: bigint; signature: Hex } | undefined
}

export declare namespace readSession {
  type Parameters = { sender: Address; chain: Chain; code: AccountCode; context: Hex }
}

/**
 * Reads the context of permissions: `0x00` with a session id and the owner's signature, `0x01` with the installation
 * itself, or `0x02` with the id of an installed key.
 * @throws `SESSION_KEY_NOT_FOUND`, `REQUEST_INVALID`, `UNSUPPORTED_ACCOUNT_TYPE`.
 */
export async function readSession(
  wallet: WalletContext,
  { sender, chain, code, context }: readSession.Parameters,
): Promise<SessionEntity> {
  if (!code.toNonceKey) throw unsupportedType()
  const length = size(context)
  if (context.startsWith('0x00') && length === 1 + 16 + 65) return readStored(wallet, { sender, chain, context })
  if (context.startsWith('0x01') && length > 1 + 1 + 32) return readWhole(context)
  if (context.startsWith('0x02') && length === 1 + 1 + 4) return readInstalled({ sender, chain, context })
  throw invalid('The context of the permissions has none of the known forms. Use the one of wallet_createSession.')
}

async function readStored(
  { db, caller }: WalletContext,
  { sender, chain, context }: { sender: Address; chain: Chain; context: Hex },
): Promise<SessionEntity> {
  const digits = context.slice(4, 36)
  const id = digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
  const found = await findSession(db, { projectId: caller.projectId, id })
  const isOwn = found?.address === sender.toLowerCase() && found.chain_id === String(chain.chainId)
  if (!found || !isOwn)
    throw invalid(
      'These permissions are not known here. Grant them again: wallet_createSession.',
      errorCodes.SESSION_KEY_NOT_FOUND,
    )
  const entity = { entityId: found.entity_id, isGlobal: found.is_global }
  const action = concatHex([ownerLocator, numberToHex(BigInt(found.deadline), { size: 6 }), found.install_call as Hex])
  const signature = concatHex(['0x00', slice(context, 17)])
  return {
    ...entity,
    hasExecutionHooks: found.has_execution_hooks,
    installation: {
      nonce: toEntityKey({ ...entity, isDeferred: true }) << 64n,
      signature: concatHex([toLength(action), action, toLength(signature), signature]),
    },
  }
}

/** Validation function that checks an installation: the owner, entity 0, globally. */
const ownerLocator: Hex = `0x${'00'.repeat(20)}01`
const toLength = (value: Hex) => numberToHex(size(value), { size: 4 })

/**
 * Reads a `0x01` context: execution hooks (1 byte), nonce (32), and the installation in the form of an operation's
 * signature.
 */
function readWhole(context: Hex): SessionEntity {
  const nonce = BigInt(slice(context, 2, 34))
  const key = nonce >> 64n
  return {
    entityId: Number((key >> 8n) & 0xffff_ffffn),
    isGlobal: (key & 1n) !== 0n,
    hasExecutionHooks: slice(context, 1, 2) !== '0x00',
    installation: { nonce, signature: slice(context, 34) },
  }
}

async function readInstalled({
  sender,
  chain,
  context,
}: {
  sender: Address
  chain: Chain
  context: Hex
}): Promise<SessionEntity> {
  const entityId = Number(slice(context, 2, 6))
  const args = [padHex(slice(context, 2, 6), { size: 24 })] as const
  const call = { to: sender, data: encodeFunctionData({ abi, functionName: 'getValidationData', args }) }
  const result = parseResult(bytes, await chain.node.call('eth_call', [call, 'latest']), 'a validation') as Hex
  if (result === '0x')
    throw invalid('The account is not deployed, so it has no installed key.', errorCodes.SESSION_KEY_NOT_FOUND)
  const found = decodeFunctionResult({ abi, functionName: 'getValidationData', data: result })
  return {
    entityId,
    isGlobal: slice(context, 1, 2) !== '0x00',
    hasExecutionHooks: found.executionHooks.length > 0,
    installation: undefined,
  }
}

export declare namespace chooseNonceKey {
  type Parameters = { chain: Chain; entryPoint: Address; sender: Address; session: SessionEntity; key: bigint }
}

/**
 * Returns the entry point's nonce key for a session's next operation. The first operation contains the installation.
 */
export async function chooseNonceKey(parameters: chooseNonceKey.Parameters): Promise<bigint> {
  const { chain, entryPoint, sender, session, key } = parameters
  const { installation } = session
  if (installation) {
    const deferred = installation.nonce >> 64n
    const next = BigInt(await readNonce(chain.node, { entryPoint, sender, key: deferred }))
    if (next === installation.nonce) return deferred
  }
  return (key << 40n) | toEntityKey({ ...session, isDeferred: false })
}

export function toSessionMark({ installation }: SessionEntity, nonce: bigint): Hex {
  const isDeferred = ((nonce >> 64n) & 2n) !== 0n
  return concatHex([isDeferred && installation ? installation.signature : '0x', '0xff00'])
}

function unsupportedType(): RpcError {
  return invalid(
    'An account of this type has no permissions for keys. Use sma-b or 7702.',
    errorCodes.UNSUPPORTED_ACCOUNT_TYPE,
  )
}

function invalid(
  message: string,
  code:
    | 'REQUEST_INVALID'
    | 'PERMISSIONS_INVALID'
    | 'SESSION_KEY_NOT_FOUND'
    | 'UNSUPPORTED_ACCOUNT_TYPE' = errorCodes.REQUEST_INVALID,
): RpcError {
  return new RpcError(message, { code, rpcCode: rpcCodes.invalidParams })
}
