import type { ErrorCode } from 'latchkey-protocol'
import { type Address, type Client, encodeFunctionData, type Hex } from 'viem'
import { requireAddress, requireBytes, requireUint } from '../../../core/arguments.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { type OperationClient, requireAccount, type SendOptions } from '../../actions/OperationClient.ts'
import { sendCallData } from '../../actions/sendCallData.ts'
import { RpcError } from '../../errors/RpcError.ts'
import type { PluginAddressParameter } from '../callPlugin.ts'
import { findDeniedRule } from './findDeniedRule.ts'
import { sessionKeyPluginAbi } from './sessionKeyPluginAbi.ts'

export type SessionKeyCall = { target: Address; value?: bigint | undefined; data?: Hex | undefined }

export declare namespace executeWithSessionKey {
  type Parameters = SendOptions &
    PluginAddressParameter & {
      /** One or more calls, and the session key that signs: the `owner` of the account object. */
      args: readonly [calls: readonly SessionKeyCall[], sessionKey: Address]
    }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Sends calls signed by a session key instead of an owner. Create the account object with the key as `owner` and the
 * existing account's address as `accountAddress`. For a key with a gas limit, pass `overrides.nonceKey =
 * BigInt(sessionKey)`, because the plugin requires the key's own nonce key. If the plugin refuses the calls, the error
 * contains the violated rule.
 *
 * @throws `SESSION_KEY_DENIED`, `CONTRACT_REVERTED`, `USER_OPERATION_INVALID`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`,
 * `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`.
 *
 * @example
 * ```ts
 * import { executeWithSessionKey } from 'latchkey/accounts'
 * import { parseEther } from 'viem'
 * import { modularClient, owner } from './config.ts'
 *
 * const call = { target: '0x1111111111111111111111111111111111111111', value: parseEther('0.01') } as const
 * const hash = await executeWithSessionKey(modularClient, { args: [[call], owner.address] })
 * console.log(hash)
 * ```
 */
export async function executeWithSessionKey(
  client: OperationClient,
  { args: [calls, key], pluginAddress, ...options }: executeWithSessionKey.Parameters,
): Promise<executeWithSessionKey.ReturnType> {
  const account = requireAccount(client, options, 'executeWithSessionKey')
  const args = completeArguments(calls, key)
  const callData = encodeFunctionData({ abi: sessionKeyPluginAbi, functionName: 'executeWithSessionKey', args })
  try {
    return await sendCallData(client, { ...options, account, callData })
  } catch (cause) {
    if (!isRefusal(cause)) throw cause
    // The EntryPoint does not report why a validation failed, so the client checks each rule.
    const nonceKey = options.overrides?.nonceKey ?? 0n
    const refusal = toRefusal(cause)
    const [complete, sessionKey] = args
    const operation = { account: account.address, pluginAddress, sessionKey, calls: complete, nonceKey, refusal }
    const rule = await readBlockTime(account.client)
      .then((now) => findDeniedRule(account.client, { ...operation, now }))
      .catch(() => undefined)
    throw rule ? deniedError(rule, sessionKey, cause) : cause
  }
}

export declare namespace encodeExecuteWithSessionKey {
  type Parameters = Pick<executeWithSessionKey.Parameters, 'args'>
  type ReturnType = Hex
}

/**
 * Encodes calls in the same way as `executeWithSessionKey`. Simulate the result to check, before signing, whether the
 * key may make the calls.
 *
 * @throws `USER_OPERATION_INVALID`, `ADDRESS_INVALID`, `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { encodeExecuteWithSessionKey } from 'latchkey/accounts'
 * import { client, owner } from './config.ts'
 *
 * const call = { target: '0x1111111111111111111111111111111111111111', value: 1n } as const
 * const uo = encodeExecuteWithSessionKey({ args: [[call], owner.address] })
 * const { error } = await client.simulateUserOperation({ uo })
 * console.log(error?.message)
 * ```
 */
export function encodeExecuteWithSessionKey({
  args: [calls, key],
}: encodeExecuteWithSessionKey.Parameters): encodeExecuteWithSessionKey.ReturnType {
  const args = completeArguments(calls, key)
  return encodeFunctionData({ abi: sessionKeyPluginAbi, functionName: 'executeWithSessionKey', args })
}

function completeArguments(calls: readonly SessionKeyCall[], key: Address) {
  if (calls.length === 0) {
    throw new BaseError('A user operation needs at least one call.', { code: 'USER_OPERATION_INVALID' })
  }
  const complete = calls.map(({ target, value = 0n, data = '0x' }) => ({
    target: requireAddress(target),
    value: requireUint('The value of a call', value, 256),
    data: requireBytes('The data of a call', data),
  }))
  return [complete, requireAddress(key)] as const
}

/** Error codes for a refusal by a contract, before or after sending. */
const refusals: readonly ErrorCode[] = ['CONTRACT_REVERTED', 'USER_OPERATION_REVERTED']

/**
 * JSON-RPC error codes of bundlers: the EntryPoint refused the operation, or the time is outside its valid range
 * (ERC-7769).
 */
const rpcRefusals: readonly unknown[] = [-32500, -32503]

/** Checks whether a contract, rather than a service, refused the operation. */
function isRefusal(error: unknown): error is BaseError {
  if (error instanceof RpcError && rpcRefusals.includes(error.rpcCode)) return true
  return error instanceof BaseError && refusals.includes(error.code)
}

/**
 * Returns the type of a refusal from the EntryPoint's code: AA23 is a reverted validation, AA22 a violated time range.
 */
function toRefusal(cause: BaseError): findDeniedRule.Parameters['refusal'] {
  if (/\bAA23\b/.test(cause.message)) return 'validation'
  return /\bAA22\b/.test(cause.message) || (cause instanceof RpcError && cause.rpcCode === -32503) ? 'time' : 'other'
}

/** Returns the latest block's timestamp in Unix seconds. The chain's clock may differ from the local clock. */
async function readBlockTime(client: Client): Promise<number> {
  const block = await client.request({ method: 'eth_getBlockByNumber', params: ['latest', false] })
  return Number(block?.timestamp ?? 0)
}

function deniedError(rule: string, sessionKey: Address, cause: unknown): BaseError {
  return new BaseError(`The session key ${sessionKey} may not do this: ${rule}`, {
    code: 'SESSION_KEY_DENIED',
    metaMessages: ['An owner of the account can change what it may do: `updateSessionKeyPermissions`.'],
    cause,
  })
}
