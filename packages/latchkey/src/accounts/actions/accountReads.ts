import { readEip712Domain } from '../reads/readEip712Domain.ts'
import { readIsValidSignature } from '../reads/readIsValidSignature.ts'
import { type OperationClient, requireAccount } from './OperationClient.ts'

export type AccountReads = {
  readEip712Domain(): Promise<readEip712Domain.ReturnType>
  readIsValidSignature(
    parameters: Omit<readIsValidSignature.Parameters, 'address'>,
  ): Promise<readIsValidSignature.ReturnType>
}

/**
 * Returns the read actions that all accounts have. They use the account's own client, because bundlers do not support
 * `eth_call`.
 */
export function accountReads(client: OperationClient): AccountReads {
  return {
    readEip712Domain: async () => {
      const { client: reader, address } = requireAccount(client, {}, 'readEip712Domain')
      return readEip712Domain(reader, { address })
    },
    readIsValidSignature: async (parameters) => {
      const { client: reader, address } = requireAccount(client, {}, 'readIsValidSignature')
      return readIsValidSignature(reader, { ...parameters, address })
    },
  }
}
