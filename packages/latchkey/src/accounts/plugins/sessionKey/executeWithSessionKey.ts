import { type Address, type Client, encodeFunctionData, type Hex } from 'viem'
import { requireAddress, requireBytes, requireUint } from '../../../core/arguments.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import type { ErrorCode } from '../../../wire/errorCodes.ts'
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
      /** One call at least, and the key that signs: the `owner` the account was made with. */
      args: readonly [calls: readonly SessionKeyCall[], sessionKey: Address]
    }
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Sends calls with a session key instead of an owner's. The account is one made with the key as `owner` and the
 * account's address as `accountAddress`. With a gas limit the operation needs the key's own nonce key: pass
 * `overrides.nonceKey = BigInt(sessionKey)`. Where the plugin refuses, the rule that the key broke is named
 * (`SESSION_KEY_DENIED`); other refusals of contracts are a `ContractRevertedError`. Throws `USER_OPERATION_INVALID`,
 * `ADDRESS_INVALID`, `ARGUMENT_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`.
 */
export async function executeWithSessionKey(
  client: OperationClient,
  { args: [calls, key], pluginAddress, ...options }: executeWithSessionKey.Parameters,
): Promise<executeWithSessionKey.ReturnType> {
  const account = requireAccount(client, options, 'executeWithSessionKey')
  if (calls.length === 0) {
    throw new BaseError('A user operation needs at least one call.', { code: 'USER_OPERATION_INVALID' })
  }
  const sessionKey = requireAddress(key)
  const complete = calls.map(({ target, value = 0n, data = '0x' }) => ({
    target: requireAddress(target),
    value: requireUint('The value of a call', value, 256),
    data: requireBytes('The data of a call', data),
  }))
  const callData = encodeFunctionData({
    abi: sessionKeyPluginAbi,
    functionName: 'executeWithSessionKey',
    args: [complete, sessionKey],
  })
  try {
    return await sendCallData(client, { ...options, account, callData })
  } catch (cause) {
    if (!isRefusal(cause)) throw cause
    // The entry point does not pass on what a validation says, so the rules are looked at one by one.
    const nonceKey = options.overrides?.nonceKey ?? 0n
    const refusal = refusalOf(cause)
    const asked = { account: account.address, pluginAddress, sessionKey, calls: complete, nonceKey, refusal }
    const rule = await timeOf(account.client)
      .then((now) => findDeniedRule(account.client, { ...asked, now }))
      .catch(() => undefined)
    throw rule ? deniedError(rule, sessionKey, cause) : cause
  }
}

/** Codes of what contracts refuse, before an operation is sent and after. */
const refusals: readonly ErrorCode[] = ['CONTRACT_REVERTED', 'USER_OPERATION_REVERTED']

/** What bundlers answer when the entry point, or the time, is against an operation (ERC-7769). */
const rpcRefusals: readonly unknown[] = [-32500, -32503]

/** Whether the chain refused, rather than something on the way to it. */
function isRefusal(error: unknown): error is BaseError {
  if (error instanceof RpcError && rpcRefusals.includes(error.rpcCode)) return true
  return error instanceof BaseError && refusals.includes(error.code)
}

/** What the entry point said: that the validation reverted, or that it is valid at another time. */
function refusalOf(cause: BaseError): findDeniedRule.Parameters['refusal'] {
  if (/\bAA23\b/.test(cause.message)) return 'validation'
  return /\bAA22\b/.test(cause.message) || (cause instanceof RpcError && cause.rpcCode === -32503) ? 'time' : 'other'
}

/** Of the latest block, in seconds: a chain's clock need not be this machine's. */
async function timeOf(client: Client): Promise<number> {
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
