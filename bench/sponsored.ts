import { type LatchkeyAccount, toLightAccount, toModularAccount } from 'latchkey/accounts'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import { devAccountOf, devAddresses } from 'latchkey-dev'
import { type Address, createPublicClient, createWalletClient, encodeFunctionData, http, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { median } from './median.ts'
import type { Result } from './types.ts'

const runs = 200
const target: Address = devAddresses.demo
const mint = encodeFunctionData({ abi: parseAbi(['function mint(address to, uint256 value)']), args: [target, 1n] })

const many = 1_000_000_000
const manyWei = '1000000000000000000000000'
/** Limits that no measurement reaches. */
const limits = {
  operation: { cost: manyWei },
  ip: { day: { cost: manyWei } },
  key: { day: { cost: manyWei } },
  policy: { day: { cost: manyWei } },
}
const open = { ip: many, key: many, sender: many, signatures: many, cost: manyWei }

/** Policies of the measurement: one that sponsors any call of any account, and one with `targets`. */
export const policies = [
  { id: 'any', projectId: 'app', rules: { limits, open } },
  { id: 'targets', projectId: 'app', rules: { limits, open, targets: [{ address: target }] } },
]

export declare namespace measureSponsored {
  type Parameters = {
    node: string
    chainId: number
    /** URL with the API key. */
    gateway: string
  }
}

/**
 * Measures how long the gateway takes to sponsor an operation of a deployed account, with and without `targets`,
 * alternating within one run.
 */
export async function measureSponsored({ node, chainId, gateway }: measureSponsored.Parameters): Promise<Result[]> {
  const client = createPublicClient({
    chain: defineLatchkeyDevChain({ id: chainId, nodeUrl: node }),
    transport: http(),
  })
  const create = { client, owner: privateKeyToAccount(generatePrivateKey()) }
  const accounts = { light: await toLightAccount(create), modular: await toModularAccount(create) }
  const results: Result[] = []
  for (const [kind, account] of Object.entries(accounts)) {
    await deploy(account, node)
    const times = await alternate(await requestOf(account), gateway)
    const { any, targets } = { any: median(times.any), targets: median(times.targets) }
    results.push(
      { name: `sponsored/${kind}-ms/p50`, value: round(any), unit: 'ms' },
      { name: `sponsored/${kind}-targets-added-ms/p50`, value: round(targets - any), unit: 'ms' },
      { name: `sponsored/${kind}-targets-ratio/p50`, value: round(targets / any), unit: '' },
    )
  }
  return results
}

async function deploy(account: LatchkeyAccount, node: string): Promise<void> {
  const { client } = account
  const owner = privateKeyToAccount(devAccountOf.faucet.privateKey)
  const wallet = createWalletClient({ account: owner, transport: http(node) })
  const { factory: to, factoryData: data } = await account.getFactoryArgs()
  if (!to || !data) return
  const hash = await wallet.sendTransaction({ chain: null, to, data })
  await createPublicClient({ chain: client.chain, transport: http(node) }).waitForTransactionReceipt({ hash })
}

async function requestOf(account: LatchkeyAccount): Promise<(policyId: string) => object> {
  const signature = await account.getStubSignature()
  const callData = await account.encodeCalls([{ to: target, value: 0n, data: mint }])
  const userOperation = { sender: account.address, nonce: '0x0', initCode: '0x', callData, signature }
  const entryPoint = account.entryPoint.address
  const method = 'alchemy_requestGasAndPaymasterAndData'
  return (policyId) => ({
    jsonrpc: '2.0',
    id: 1,
    method,
    params: [{ policyId, entryPoint, userOperation, dummySignature: signature, overrides: {} }],
  })
}

async function alternate(request: (policyId: string) => object, url: string) {
  const times = { any: [] as number[], targets: [] as number[] }
  for (let run = -20; run < runs; run++) {
    // The two policies alternate in going first.
    const order = run % 2 === 0 ? (['any', 'targets'] as const) : (['targets', 'any'] as const)
    for (const policyId of order) {
      const began = performance.now()
      await ask(url, request(policyId), Math.abs(run))
      if (run >= 0) times[policyId].push(performance.now() - began)
    }
  }
  return times
}

class SponsorshipFailed extends Error {}

async function ask(url: string, call: object, client: number): Promise<void> {
  const headers = { 'content-type': 'application/json', 'x-forwarded-for': `198.51.100.${client}` }
  const signal = AbortSignal.timeout(30_000)
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(call), signal })
  const text = await response.text()
  if (!('result' in JSON.parse(text))) throw new SponsorshipFailed(text)
}

const round = (value: number) => Math.round(value * 100) / 100
