import { readEip712Domain } from '../reads/readEip712Domain.ts'
import { readIsValidSignature } from '../reads/readIsValidSignature.ts'
import { accountOf, type OperationClient } from './OperationClient.ts'

export type AccountReads = {
  readEip712Domain(): Promise<readEip712Domain.ReturnType>
  readIsValidSignature(
    parameters: Omit<readIsValidSignature.Parameters, 'address'>,
  ): Promise<readIsValidSignature.ReturnType>
}

/** What is read of accounts of several kinds. A bundler answers no reads: the account's own client does. */
export function accountReads(client: OperationClient): AccountReads {
  return {
    readEip712Domain: async () => {
      const { client: reader, address } = accountOf(client, {}, 'readEip712Domain')
      return readEip712Domain(reader, { address })
    },
    readIsValidSignature: async (parameters) => {
      const { client: reader, address } = accountOf(client, {}, 'readIsValidSignature')
      return readIsValidSignature(reader, { ...parameters, address })
    },
  }
}
