import type { Hex } from 'viem'
import { createChunk } from '../../core/createChunk.ts'
import { toContractError } from '../errors/ContractRevertedError.ts'
import type { LatchkeyAccount } from '../types.ts'
import { isLatchkeyClient, type OperationClient, requireAccount, type SendOptions } from './OperationClient.ts'

/** Loaded only for viem's own clients. */
const viemChunk = /* @__PURE__ */ createChunk({ name: 'bundler', import: () => import('./sendWithViem.ts') })

export declare namespace sendCallData {
  type Parameters = SendOptions & {
    account: LatchkeyAccount
    /** The account's own call data. */
    callData: Hex
  }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Sends a user operation with Latchkey's client or a viem bundler client.
 *
 * @throws `CONTRACT_REVERTED` (`ContractRevertedError`), `CLIENT_INCOMPATIBLE`, `ARGUMENT_INVALID`, `CHUNK_FAILED`, and
 * the client's own errors.
 */
export async function sendCallData(
  client: OperationClient,
  { account, callData, overrides = {}, context, waitForTxn = false }: sendCallData.Parameters,
): Promise<sendCallData.ReturnType> {
  try {
    if (isLatchkeyClient(client)) {
      const { hash, request } = await client.sendUserOperation({ uo: callData, overrides, context })
      return waitForTxn ? await client.waitForUserOperationTransaction({ hash, request }) : hash
    }
    const { sendWithViem } = await viemChunk.load()
    return await sendWithViem(client, { account, callData, overrides, waitForTxn })
  } catch (error) {
    throw toContractError(error, { action: 'The user operation could not be sent.' })
  }
}

/** Sends an operation in which the account calls itself. Owners change the account in this way. */
export async function callSelf(
  client: OperationClient,
  { data, ...options }: SendOptions & { data: Hex },
  method: string,
): Promise<sendCallData.ReturnType> {
  const account = requireAccount(client, options, method)
  const callData = await account.encodeCalls([{ to: account.address, data }])
  return sendCallData(client, { ...options, account, callData })
}
