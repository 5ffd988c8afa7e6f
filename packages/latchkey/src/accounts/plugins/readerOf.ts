import type { Address, Client } from 'viem'
import { type OperationClient, requireAccount } from '../actions/OperationClient.ts'

/** Whom to ask about the account of a client: a bundler answers no reads, the account's own client does. */
export function readerOf(client: OperationClient, method: string): readonly [Client, { account: Address }] {
  const { client: reader, address } = requireAccount(client, {}, method)
  return [reader, { account: address }]
}
