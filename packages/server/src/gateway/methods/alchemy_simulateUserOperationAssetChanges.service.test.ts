import { type Call, type LightOperation, lightOperation, type Version } from '@latchkey/testkit/gateway/lightOperation'
import { type RpcReply, startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import type { AssetChange, SimulateAssetChangesResult } from 'latchkey/wire'
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  getAddress,
  type Hex,
  maxUint256,
  pad,
  parseAbi,
  parseEther,
  zeroAddress,
} from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { entryPoints, demo } = devAddresses
const versions = ['0.6.0', '0.7.0'] as const
const target = '0x000000000000000000000000000000000000dEaD'
const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transferOwnership(address newOwner)',
])
const encodeMint = (to: Address, amount: bigint) =>
  encodeFunctionData({ abi, functionName: 'mint', args: [to, amount] })
const encodeTransfer = (amount: bigint) => encodeFunctionData({ abi, functionName: 'transfer', args: [target, amount] })

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway?.close())

const createOperation = (version: Version, calls: Call[] | ((sender: Address) => Call[])) =>
  lightOperation(gateway, version, calls)

function ask({ version, userOperation }: LightOperation, more: unknown[] = []): Promise<RpcReply> {
  return gateway.ask('alchemy_simulateUserOperationAssetChanges', [userOperation, entryPoints[version], ...more])
}

async function simulate(operation: LightOperation): Promise<SimulateAssetChangesResult> {
  const { result, error } = await ask(operation)
  expect(error).toBeUndefined()
  const { changes, error: failure } = result as SimulateAssetChangesResult
  // Addresses come as the node writes them.
  const read = changes.map((change): AssetChange => {
    const contractAddress = change.contractAddress && getAddress(change.contractAddress)
    return { ...change, from: getAddress(change.from), to: getAddress(change.to), contractAddress }
  })
  return { changes: read, ...(failure ? { error: failure } : {}) }
}

/** A fresh contract of that code. */
async function place(code: Hex): Promise<Address> {
  const address = privateKeyToAddress(generatePrivateKey())
  await gateway.client.request({ method: 'anvil_setCode', params: [address, code] } as never)
  return address
}

/** Logs what it is called with: so many topics of 32 bytes, then the data. */
function logger(topics: 3 | 4): Promise<Address> {
  const length = (topics * 32).toString(16)
  const pushed = { 3: '604035602035600035', 4: '606035604035602035600035' }[topics]
  // size = calldatasize - length; calldatacopy(0, length, size); log(0, size, topics…)
  const again = { 3: '83', 4: '84' }[topics]
  return place(`0x60${length}36038060${length}600037${pushed}${again}6000a${topics}00`)
}

test.each(versions)('default: coin and tokens of an account that is not deployed, entry point %s', async (version) => {
  const operation = await createOperation(version, (sender) => [
    { to: demo, data: encodeMint(sender, parseEther('100')) },
    { to: demo, data: encodeTransfer(parseEther('1.5')) },
    { to: target, value: parseEther('0.25') },
  ])
  const { sender } = operation
  await gateway.setBalance(sender, parseEther('1'))
  const token = { assetType: 'ERC20', contractAddress: demo, tokenId: null, decimals: 18, symbol: 'DEMO', name: 'Demo' }
  expect(await simulate(operation)).toEqual({
    changes: [
      {
        ...token,
        changeType: 'TRANSFER',
        from: zeroAddress,
        to: sender,
        rawAmount: '100000000000000000000',
        amount: '100',
      },
      { ...token, changeType: 'TRANSFER', from: sender, to: target, rawAmount: '1500000000000000000', amount: '1.5' },
      {
        assetType: 'NATIVE',
        changeType: 'TRANSFER',
        from: sender,
        to: target,
        rawAmount: '250000000000000000',
        amount: '0.25',
        contractAddress: null,
        tokenId: null,
        decimals: 18,
        symbol: 'ETH',
        name: 'Ether',
      },
    ],
  })
  // Nothing was kept.
  expect(await gateway.client.getCode({ address: sender })).toBeUndefined()
  expect(await gateway.client.getBalance({ address: sender })).toBe(parseEther('1'))
})

test.each(versions)('behavior: an account that is deployed, entry point %s', async (version) => {
  const operation = await createOperation(version, [{ to: target, value: 7n }])
  const { initCode, factory, factoryData, ...deployed } = operation.userOperation
  await gateway.setBalance(operation.sender, parseEther('1'))
  const later = { ...operation, userOperation: deployed as Record<string, Hex> }
  expect(await simulate(later)).toEqual({ changes: [], error: { message: 'AA20 account not deployed' } })

  const [to, data] = factory && factoryData ? [factory, factoryData] : splitInitCode(initCode)
  const faucet = { method: 'eth_sendTransaction', params: [{ from: (await accounts())[0], to, data }] }
  const hash = (await gateway.client.request(faucet as never)) as Hex
  await waitForTransaction(gateway.client, hash)
  expect((await simulate(later)).changes).toMatchObject([{ assetType: 'NATIVE', rawAmount: '7' }])
})

const accounts = async () => (await gateway.client.request({ method: 'eth_accounts' } as never)) as Address[]
const splitInitCode = (initCode: Hex = '0x'): [Address, Hex] => [
  initCode.slice(0, 42) as Address,
  `0x${initCode.slice(42)}`,
]

test('behavior: allowances, also without end', async () => {
  const approve = (amount: bigint) => encodeFunctionData({ abi, functionName: 'approve', args: [target, amount] })
  const operation = await createOperation('0.7.0', [
    { to: demo, data: approve(maxUint256) },
    { to: demo, data: approve(0n) },
  ])
  const change = { assetType: 'ERC20', changeType: 'APPROVE', from: operation.sender, to: target, symbol: 'DEMO' }
  expect((await simulate(operation)).changes).toMatchObject([
    { ...change, rawAmount: maxUint256.toString() },
    { ...change, rawAmount: '0', amount: '0' },
  ])
})

test.each(versions)('error: a call that fails is explained, entry point %s', async (version) => {
  const cases: [Call[], string | RegExp][] = [
    // An error with arguments.
    [[{ to: demo, data: encodeTransfer(5n) }], /^execution reverted: InsufficientBalance\(0x[0-9a-fA-F]{40}, 0, 5\)$/],
    // A reason.
    [[{ to: await place(reasonCode('out of stock')), data: '0x' }], 'execution reverted: out of stock'],
    // An unknown error; no data.
    [[{ to: await place('0x63deadbeef6000526004601cfd') }], 'execution reverted: 0xdeadbeef'],
    [[{ to: await place('0x60006000fd') }], 'execution reverted'],
    // More than there is.
    [[{ to: target, value: 5n }], 'execution reverted: the account has 0 wei and sends 5 wei'],
    // What comes before is undone with it.
    [
      [
        { to: demo, data: encodeMint(target, 1n) },
        { to: target, value: parseEther('1') },
      ],
      `execution reverted: the account has 0 wei and sends ${parseEther('1')} wei`,
    ],
  ]
  for (const [calls, message] of cases) {
    const { changes, error } = await simulate(await createOperation(version, calls))
    expect(changes).toEqual([])
    if (typeof message === 'string') expect(error?.message).toBe(message)
    else expect(error?.message).toMatch(message)
  }
})

/** Code that reverts with Error(string). */
function reasonCode(reason: string): Hex {
  const data = concat(['0x08c379a0', encodeAbiParameters([{ type: 'string' }], [reason])])
  const length = ((data.length - 2) / 2).toString(16).padStart(2, '0')
  // codecopy(0, 12, length); revert(0, length)
  return `0x60${length}600c60003960${length}6000fd${data.slice(2)}`
}

test('behavior: the account is called by the entry point, which may do what the owner may', async () => {
  const operation = await createOperation('0.7.0', [])
  const callData = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [target] })
  const result = await simulate({ ...operation, userOperation: { ...operation.userOperation, callData } })
  expect(result).toEqual({ changes: [] })
})

test('error: an account that cannot be made, or is another’s', async () => {
  const operation = await createOperation('0.7.0', [])
  const making = (more: Record<string, Hex>) =>
    simulate({ ...operation, userOperation: { ...operation.userOperation, ...more } })
  expect((await making({ factoryData: '0xdeadbeef' })).error?.message).toMatch(
    /^AA13 initCode failed: execution reverted/,
  )
  expect((await making({ sender: target })).error?.message).toBe('AA14 initCode must return sender')
})

test('behavior: unique and many-kinded tokens', async () => {
  const nftAbi = parseAbi([
    'event Transfer(address indexed from, address indexed to, uint256 indexed tokenId)',
    'event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId)',
    'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
    'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
    'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  ])
  const [four, three] = await Promise.all([logger(4), logger(3)])
  const topics = (eventName: string, args: object) =>
    concat(encodeEventTopics({ abi: nftAbi, eventName, args } as never) as unknown as Hex[])
  const numbers = (...values: bigint[]) => concat(values.map((value) => pad(`0x${value.toString(16)}`)))
  const lists = encodeAbiParameters(
    [{ type: 'uint256[]' }, { type: 'uint256[]' }],
    [
      [1n, 2n],
      [10n, 20n],
    ],
  )
  const operation = await createOperation('0.7.0', (sender) => {
    const moved = { operator: sender, from: sender, to: target }
    return [
      { to: four, data: topics('Transfer', { from: sender, to: target, tokenId: 77n }) },
      { to: four, data: topics('Approval', { owner: sender, approved: target, tokenId: 78n }) },
      { to: three, data: concat([topics('ApprovalForAll', { owner: sender, operator: target }), numbers(1n)]) },
      { to: three, data: concat([topics('ApprovalForAll', { owner: sender, operator: target }), numbers(0n)]) },
      { to: four, data: concat([topics('TransferSingle', moved), numbers(5n, 3n)]) },
      { to: four, data: concat([topics('TransferBatch', moved), lists]) },
      // What only looks like a transfer.
      { to: four, data: concat([topics('TransferBatch', moved), numbers(1n, maxUint256)]) },
      { to: three, data: concat([topics('ApprovalForAll', { owner: sender, operator: target }), '0x01']) },
    ]
  })
  const common = { from: operation.sender, to: target, contractAddress: four, decimals: 0, symbol: '' }
  const all = { ...common, assetType: 'ERC721', changeType: 'APPROVE', contractAddress: three, tokenId: null }
  const { changes } = await simulate(operation)
  expect(changes).toEqual([
    { ...common, assetType: 'ERC721', changeType: 'TRANSFER', tokenId: '77', rawAmount: '1', amount: '1' },
    { ...common, assetType: 'ERC721', changeType: 'APPROVE', tokenId: '78', rawAmount: '1', amount: '1' },
    all,
    { ...all, rawAmount: '0', amount: '0' },
    { ...common, assetType: 'ERC1155', changeType: 'TRANSFER', tokenId: '5', rawAmount: '3', amount: '3' },
    { ...common, assetType: 'ERC1155', changeType: 'TRANSFER', tokenId: '1', rawAmount: '10', amount: '10' },
    { ...common, assetType: 'ERC1155', changeType: 'TRANSFER', tokenId: '2', rawAmount: '20', amount: '20' },
  ])
})

test('error: malformed values, an unknown entry point', async () => {
  const operation = await createOperation('0.7.0', [])
  const method = 'alchemy_simulateUserOperationAssetChanges'
  const { userOperation } = operation
  const cases: [unknown[], string][] = [
    [[], 'REQUEST_INVALID'],
    [[{ ...userOperation, sender: '0x12' }, entryPoints['0.7.0']], 'REQUEST_INVALID'],
    [[{ ...userOperation, callData: 'nonsense' }, entryPoints['0.7.0']], 'REQUEST_INVALID'],
    [[userOperation, entryPoints['0.7.0'], 'yesterday'], 'REQUEST_INVALID'],
    [[userOperation, demo], 'ENTRY_POINT_NOT_FOUND'],
  ]
  for (const [params, code] of cases)
    expect((await gateway.ask(method, params)).error).toMatchObject({ code: -32602, data: { code } })
  expect(await ask(operation, ['latest'])).toMatchObject({ result: { changes: [] } })
})

test('behavior: the call has the gas of a transaction, not that of the node', async () => {
  const place = '0x00000000000000000000000000000000000ca511'
  // REVERT with what GAS says.
  await gateway.request('anvil_setCode', [place, '0x5a60005260206000fd'])
  const { error } = await simulate(await createOperation('0.7.0', [{ to: place }]))
  const [left = '0x0'] = /0x[0-9a-f]{64}/.exec(error?.message ?? '') ?? []
  expect(BigInt(left)).toBeGreaterThan(15_000_000n)
  expect(BigInt(left)).toBeLessThan(2n ** 24n)
})

test('param: nativeCurrency', async () => {
  const operation = await createOperation('0.7.0', [{ to: target, value: 1500n }])
  await gateway.setBalance(operation.sender, parseEther('1'))
  const app = gateway.withChain({ nativeCurrency: { name: 'Pebble', symbol: 'PBL', decimals: 3 } })
  const params = [operation.userOperation, entryPoints['0.7.0']]
  const { result } = await gateway.ask('alchemy_simulateUserOperationAssetChanges', params, app)
  const [change] = (result as SimulateAssetChangesResult).changes
  expect(change).toMatchObject({ symbol: 'PBL', name: 'Pebble', decimals: 3, amount: '1.5', rawAmount: '1500' })
})
