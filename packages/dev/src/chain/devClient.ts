import {
  type Account,
  type AuthorizationList,
  type Chain,
  createPublicClient,
  createWalletClient,
  defineChain,
  type Hex,
  http,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  type Transport,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { DevError } from '../errors.ts'

export declare namespace devClient {
  type Parameters = { rpcUrl: string; chainId: number; privateKey: Hex }
  type Transaction = {
    to: Hex
    data?: Hex
    value?: bigint
    gas?: bigint
    /** EIP-7702 authorizations. */
    authorizationList?: AuthorizationList<number, true>
  }
  type ReturnType = {
    read: PublicClient<Transport, Chain>
    account: Account
    /**
     * Sends a transaction and waits for its receipt.
     *
     * @throws `CONTRACT_REVERTED`, `TIMEOUT`
     */
    transact(transaction: Transaction): Promise<TransactionReceipt>
  }
}

/** Creates a client for one account of the dev chain, on a node that mines immediately. */
export function devClient({ rpcUrl, chainId, privateKey }: devClient.Parameters): devClient.ReturnType {
  const chain = defineChain({
    id: chainId,
    name: 'dev',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const account = privateKeyToAccount(privateKey)
  const transport = http(rpcUrl, { timeout: 20_000, retryCount: 0 })
  const read = createPublicClient({ chain, transport, pollingInterval: 10, cacheTime: 0 })
  const wallet = createWalletClient({ chain, transport, account })
  return {
    read,
    account,
    async transact(transaction: devClient.Transaction): Promise<TransactionReceipt> {
      const hash = await wallet.sendTransaction(transaction)
      const receipt = await waitForReceipt(read, hash)
      if (receipt.status === 'success') return receipt
      throw new DevError(`Transaction ${hash} to ${transaction.to} reverted.`, { code: 'CONTRACT_REVERTED' })
    },
  }
}

/**
 * Polls for the receipt for at most 20 s. viem polls once per block: if the node reports a block before its receipts,
 * viem would wait forever on a chain that mines only on demand.
 */
async function waitForReceipt(read: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  const deadline = Date.now() + 20_000
  while (Date.now() < deadline) {
    try {
      return await read.getTransactionReceipt({ hash })
    } catch (error) {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  throw new DevError(`Transaction ${hash} was not mined within 20 s.`, { code: 'TIMEOUT' })
}
