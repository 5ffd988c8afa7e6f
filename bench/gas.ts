import { createSmartAccountClient } from 'latchkey'
import {
  type LatchkeyAccount,
  SessionKeyPermissionsBuilder,
  sessionKeyAccessListType,
  sessionKeyPluginActions,
  toLightAccount,
  toModularAccount,
  toModularAccountV2,
  toMultiOwnerLightAccount,
} from 'latchkey/accounts'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import { devAddresses } from 'latchkey-dev'
import { startTestDevnet } from 'latchkey-dev/testing'
import {
  type Chain,
  createPublicClient,
  createTestClient,
  encodeFunctionData,
  type Hex,
  http,
  keccak256,
  type PrivateKeyAccount,
  type PublicClient,
  parseAbi,
  parseEther,
  parseGwei,
  type Transport,
  toHex,
  type WalletActions,
  walletActions,
  zeroHash,
} from 'viem'
import { createBundlerClient } from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'
import { passkeyRows } from './passkeyRows.ts'
import { createLocalPaymaster, paymasterKinds } from './paymasterGas.ts'
import type { Measure, Result } from './types.ts'

type Reader = PublicClient<Transport, Chain>
type Kind = {
  name: string
  make(client: Reader, owner: PrivateKeyAccount): Promise<LatchkeyAccount>
  /** Rows that only this contract has. */
  more?: (parameters: Sending) => Promise<readonly Row[]>
}
type Row = readonly [name: string, gas: number]

/** One contract per line, with the same rows. */
const kinds: readonly Kind[] = [
  { name: 'LightAccount v1.1.0', make: (client, owner) => toLightAccount({ client, owner, version: 'v1.1.0' }) },
  { name: 'LightAccount v2.0.0', make: (client, owner) => toLightAccount({ client, owner, version: 'v2.0.0' }) },
  {
    name: 'MultiOwnerLightAccount v2.0.0',
    make: (client, owner) => toMultiOwnerLightAccount({ client, owner }),
    more: addPasskey,
  },
  {
    name: 'MultiOwnerModularAccount',
    make: (client, owner) => toModularAccount({ client, owner }),
    more: async (sending) => [...(await sessionKeyRows(sending)), ...(await addPasskey(sending))],
  },
  { name: 'ModularAccountV2', make: (client, owner) => toModularAccountV2({ client, owner }), more: addPasskey },
]

class GasBenchFailed extends Error {}

/** Derives keys from fixed names, so that signatures are deterministic. */
const deriveKey = (name: string): PrivateKeyAccount => privateKeyToAccount(keccak256(toHex(name)))

const recipients = Array.from({ length: 10 }, (_, index) => deriveKey(`recipient ${index}`).address)
const amount = parseEther('0.1')
const depositAbi = parseAbi(['function depositTo(address account) payable'])
// By default viem doubles the chain's tip, and the chain then reports the doubled value.
const fees = { maxFeePerGas: parseGwei('3'), maxPriorityFeePerGas: parseGwei('1') }

/**
 * Measures `actualGasUsed` of user operations, one per bundle, with nonce key 0 and existing recipients. The first
 * operation deploys the account and is paid from its balance; later ones are paid from its deposit. Gas limits are the
 * bundler's estimates or, for `sponsored` (a transfer paid by the paymaster), the gateway's.
 */
export const measure: Measure = async ({ log }) => {
  const devnet = await startTestDevnet({ example: false })
  try {
    const { node: nodeUrl, gateway: gatewayUrl } = devnet.urls
    const chain = defineLatchkeyDevChain({ id: devnet.chainId, nodeUrl, gatewayUrl })
    const client = createPublicClient({ chain, transport: http(nodeUrl) })
    const node = createTestClient({ mode: 'anvil', chain, transport: http(nodeUrl) }).extend(walletActions)
    const faucet = deriveKey('faucet')
    for (const address of [faucet.address, ...recipients]) await node.setBalance({ address, value: parseEther('1000') })

    const results: Result[] = []
    for (const { name, make, more } of kinds) {
      log(`${name} …`)
      const account = await make(client, deriveKey(name))
      await node.setBalance({ address: account.address, value: parseEther('100') })
      const add = (row: string, value: number) => results.push({ name: `${name}/${row}`, value, unit: 'gas' })
      const sending = { account, client, bundlerUrl: devnet.urls.bundler }
      const transfers = createTransfers(sending)
      add('deploy+transfer', await transfers(1))
      const hash = await node.writeContract({
        account: faucet,
        address: account.entryPoint.address,
        abi: depositAbi,
        functionName: 'depositTo',
        args: [account.address],
        value: parseEther('10'),
      })
      await waitUntilMined(client, hash)
      add('transfer', await transfers(1))
      add('batch5', await transfers(5))
      add('batch10', await transfers(10))
      add('erc20', await transferToken(sending, node, faucet))
      add('sponsored', await sponsoredTransfer({ account, apiKey: devnet.apiKey, policyId: devnet.policyId }))
      for (const [row, gas] of [...(await paymasterRows(sending)), ...((await more?.(sending)) ?? [])]) add(row, gas)
    }
    return results
  } finally {
    await devnet.close()
  }
}

/** Polls for the receipt, since viem waits for a next block, which may not come on a chain that mines per transaction. */
async function waitUntilMined(client: Reader, hash: Hex): Promise<void> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (await client.getTransactionReceipt({ hash }).catch(() => undefined)) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new GasBenchFailed(`Transaction ${hash} was not mined.`)
}

type Node = Pick<WalletActions<Chain>, 'writeContract'>
type Sending = { account: LatchkeyAccount; client: Reader; bundlerUrl: string }

function createBundler({ account, client, bundlerUrl }: Sending) {
  const userOperation = { estimateFeesPerGas: async () => fees }
  return createBundlerClient({ account, client, transport: http(bundlerUrl), pollingInterval: 20, userOperation })
}

async function readGas(sending: Sending, hash: Hex): Promise<number> {
  const { actualGasUsed, success } = await createBundler(sending).waitForUserOperationReceipt({ hash, timeout: 30_000 })
  if (!success) throw new GasBenchFailed(`Operation ${hash} of a ${sending.account.source} failed.`)
  return Number(actualGasUsed)
}

function createTransfers(sending: Sending): (count: number) => Promise<number> {
  const { account } = sending
  return async (count) => {
    const calls = recipients.slice(0, count).map((to) => ({ to, value: amount }))
    const hash = await createBundler(sending).sendUserOperation({ calls, nonce: await account.getNonce() })
    return readGas(sending, hash)
  }
}

const tokenAbi = parseAbi(['function mint(address to, uint256 value)', 'function transfer(address to, uint256 value)'])

/** Measures a token transfer between two accounts that both already hold some of the token. */
async function transferToken(sending: Sending, node: Node, payer: PrivateKeyAccount): Promise<number> {
  const { account, client } = sending
  const token = { address: devAddresses.demo, abi: tokenAbi } as const
  const [to = account.address] = recipients
  for (const holder of [account.address, to]) {
    const minting = { ...token, account: payer, functionName: 'mint', args: [holder, parseEther('100')] } as const
    await waitUntilMined(client, await node.writeContract(minting))
  }
  const data = encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, parseEther('1')] })
  const calls = [{ to: token.address, data }]
  return readGas(sending, await createBundler(sending).sendUserOperation({ calls, nonce: await account.getNonce() }))
}

/**
 * Installs the plugin with one key that may call any contract and spend a limited amount. Then transfers with this key.
 */
async function sessionKeyRows(sending: Sending): Promise<readonly Row[]> {
  const { account, client } = sending
  const key = deriveKey('session key')
  const permissions = new SessionKeyPermissionsBuilder()
    .setContractAccessControlType(sessionKeyAccessListType.ALLOW_ALL_ACCESS)
    .setNativeTokenSpendLimit({ spendLimit: parseEther('1') })
  const owner = createBundler(sending).extend(sessionKeyPluginActions)
  const installed = await owner.installSessionKeyPlugin({ args: [[key.address], [zeroHash], [permissions.encode()]] })
  const install = await readGas(sending, installed)

  const session = await toModularAccount({ client, owner: key, accountAddress: account.address })
  const holder = createBundler({ ...sending, account: session }).extend(sessionKeyPluginActions)
  const [target = account.address] = recipients
  const sent = await holder.executeWithSessionKey({ args: [[{ target, value: amount }], key.address] })
  return [
    ['installSessionKeyPlugin', install],
    ['executeWithSessionKey', await readGas(sending, sent)],
  ]
}

async function addPasskey(sending: Sending): Promise<readonly Row[]> {
  return passkeyRows({
    account: sending.account,
    connect: (account) => createBundler({ ...sending, account }),
    readGas: (account, hash) => readGas({ ...sending, account }, hash),
    transfer: (account) => createTransfers({ ...sending, account })(1),
  })
}

/** Measures a transfer paid by our paymaster and by the sample one, with the same limits. */
async function paymasterRows(sending: Sending): Promise<readonly Row[]> {
  const rows: Row[] = []
  for (const kind of paymasterKinds) {
    const paymaster = createLocalPaymaster(sending.client, kind, sending.account)
    const [to = sending.account.address] = recipients
    const send = async () => {
      const calls = [{ to, value: amount }]
      const nonce = await sending.account.getNonce()
      return readGas(sending, await createBundler(sending).sendUserOperation({ calls, nonce, paymaster }))
    }
    // The first operation is not measured, since the 0.6 sample paymaster writes a storage slot for each new sender.
    await send()
    rows.push([`paymaster-${kind.name}`, await send()])
  }
  return rows
}

type Sponsored = { account: LatchkeyAccount; apiKey: string; policyId: string }

async function sponsoredTransfer({ account, apiKey, policyId }: Sponsored): Promise<number> {
  const client = createSmartAccountClient({ account, connection: { apiKey }, gasManagerConfig: { policyId } })
  const [target = account.address] = recipients
  const { hash } = await client.sendUserOperation({ uo: { target, data: '0x', value: amount } })
  await client.waitForUserOperationTransaction({ hash })
  const receipt = await client.getUserOperationReceipt(hash)
  if (!receipt?.success) throw new GasBenchFailed('A sponsored transfer failed.')
  return Number(receipt.actualGasUsed)
}
