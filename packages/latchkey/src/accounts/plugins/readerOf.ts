import type { Address, Client } from 'viem'
import { accountOf, type OperationClient } from '../actions/OperationClient.ts'

/** Whom to ask about the account of a client: a bundler answers no reads, the account's own client does. */
export function readerOf(client: OperationClient, method: string): readonly [Client, { account: Address }] {
  const { client: reader, address } = accountOf(client, {}, method)
  return [reader, { account: address }]
}
