import { errorCodes } from 'latchkey-protocol'
import type { Address, Hex } from 'viem'
import type { z } from 'zod'
import type { Chain } from '../chains/createChain.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { type AccountCode, accountFactory, delegatedAccount } from './accountTypes.ts'
import type { WalletContext } from './context.ts'
import { type delegationSchema, needsAuthorization, readDelegate } from './delegation.ts'
import { readAccount } from './requestAccount.ts'
import { findSmartAccount } from './smartAccounts.ts'

/** Account that sends the calls. */
export type Sender = {
  code: AccountCode
  /** Factory and its call data; undefined for an address that delegates to its code (EIP-7702). */
  creation: { factory: Address; factoryData: Hex } | undefined
  /** Code that the address must first delegate to; undefined if no delegation is needed. */
  delegate: Address | undefined
}

export declare namespace findSender {
  type Parameters = { chain: Chain; address: Address; eip7702Auth?: z.output<typeof delegationSchema> | undefined }
}

/**
 * Finds an account that the project requested before. Treats any other address as a signer's own address that delegates
 * to its code (EIP-7702), unless it has a contract.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `DELEGATE_UNKNOWN`, `REQUEST_INVALID`, `METHOD_NOT_SUPPORTED`.
 */
export async function findSender(
  { db, caller }: Pick<WalletContext, 'db' | 'caller'>,
  { chain, address, eip7702Auth }: findSender.Parameters,
): Promise<Sender> {
  const row = await findSmartAccount(db, { projectId: caller.projectId, address })
  if (row && eip7702Auth === undefined) {
    const { type, owners, salt } = readAccount(row)
    const creation = { factory: accountFactory(type), factoryData: type.encodeCreate(owners, salt) }
    return { code: type, creation, delegate: undefined }
  }
  if (row)
    throw new RpcError(`The account ${address} is a contract, which delegates to no code. Leave eip7702Auth out.`, {
      code: errorCodes.REQUEST_INVALID,
      rpcCode: rpcCodes.invalidParams,
    })
  const wanted = readDelegate(eip7702Auth, address)
  const isNeeded = await needsAuthorization(chain.node, { address, wanted })
  return { code: delegatedAccount, creation: undefined, delegate: isNeeded ? wanted : undefined }
}
