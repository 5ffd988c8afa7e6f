import { setTimeout } from 'node:timers/promises'
import { devAccountOf } from 'latchkey-dev'
import {
  type Address,
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  type LocalAccount,
  type PublicClient,
  parseAbi,
  parseEther,
  type TransactionReceipt,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { demand } from './demand.ts'

const accountAbi = parseAbi(['function execute(address dest, uint256 value, bytes func)'])
const tokenAbi = parseAbi(['function transfer(address to, uint256 amount) returns (bool)'])

export declare namespace spendAsOwner {
  type Parameters = {
    nodeUrl: string
    /** Owner of the account, created from the exported secret. */
    owner: LocalAccount
    account: Address
    demo: Address
    to: Address
    amount: bigint
  }
}

/** Transfers DEMO from a LightAccount with only its owner's key. */
export async function spendAsOwner(parameters: spendAsOwner.Parameters): Promise<Hex> {
  const { nodeUrl, owner, account, demo, to, amount } = parameters
  const transport = http(nodeUrl, { timeout: 10_000 })
  const reader = createPublicClient({ transport })
  const chain = null
  const faucet = createWalletClient({ account: privateKeyToAccount(devAccountOf.faucet.privateKey), transport })
  const fuel = await faucet.sendTransaction({ to: owner.address, value: parseEther('1'), chain })
  await readReceipt(reader, fuel)
  const transfer = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, amount] })
  const hash = await createWalletClient({ account: owner, transport }).writeContract({
    address: account,
    abi: accountAbi,
    functionName: 'execute',
    args: [demo, 0n, transfer],
    chain,
  })
  const { status } = await readReceipt(reader, hash)
  demand(status === 'success', "the account obeys the exported key's transaction")
  return hash
}

/** Polls for a receipt. Does not use the test fixture, because `npm run tour` runs without Vitest. */
async function readReceipt(reader: PublicClient, hash: Hex): Promise<TransactionReceipt> {
  for (let looks = 0; looks < 1_500; looks++) {
    const receipt = await reader.getTransactionReceipt({ hash }).catch(() => undefined)
    if (receipt) return receipt
    await setTimeout(20)
  }
  throw new TypeError(`Transaction ${hash} has no receipt after 30 s.`)
}
