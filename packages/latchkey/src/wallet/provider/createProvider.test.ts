import { type RecordedClientOptions, recordedClient } from '@latchkey/testkit/wallet/recordedClient'
import { createWalletClient, custom, type Hex, zeroAddress, zeroHash } from 'viem'
import { mainnet, sepolia } from 'viem/chains'
import { describe, expect, test } from 'vitest'
import { toCallsId } from './callIds.ts'
import { createProvider } from './createProvider.ts'
import { ProviderRpcError } from './ProviderRpcError.ts'
import type { ConfirmRequest, ProviderOptions } from './types.ts'

const other = '0x000000000000000000000000000000000000dEaD'
const chainId = '0xaa36a7'

async function setUp({ recorded, ...options }: ProviderOptions & { recorded?: RecordedClientOptions } = {}) {
  const { client, server } = await recordedClient({ gasManagerConfig: { policyId: 'POLICY' }, ...recorded })
  const elsewhere = await recordedClient({ chain: mainnet })
  const provider = createProvider({ client, clients: [elsewhere.client], ...options })
  const ask = (method: string, ...params: unknown[]) => provider.request({ method, params })
  return { provider, client, server, elsewhere, ask, address: client.account.address }
}

const calls = [{ to: other, value: '0x1' }]
const bundle = { version: '2.0.0', chainId, atomicRequired: true, calls }
const sent = (server: { calls: { method: string }[] }) =>
  server.calls.filter(({ method }) => method === 'eth_sendUserOperation').length

describe('accounts and chains', () => {
  test('returns account and chain', async () => {
    const { ask, address } = await setUp()
    expect(await ask('eth_accounts')).toEqual([address])
    expect(await ask('eth_requestAccounts')).toEqual([address])
    expect(await ask('eth_coinbase')).toBe(address)
    expect(await ask('eth_chainId')).toBe(chainId)
    expect(await ask('net_version')).toBe(String(sepolia.id))
  })

  test('emits chainChanged once and switches the account', async () => {
    const { provider, ask, elsewhere } = await setUp()
    const seen: unknown[] = []
    const listener = (id: Hex) => seen.push(id)
    provider.on('chainChanged', listener).on('accountsChanged', (accounts) => seen.push(accounts))
    expect(await ask('wallet_switchEthereumChain', { chainId: '0x1' })).toBeNull()
    expect(await ask('wallet_switchEthereumChain', { chainId: '0x1' })).toBeNull()
    expect(seen).toEqual(['0x1'])
    expect(await ask('eth_chainId')).toBe('0x1')
    await ask('eth_blockNumber')
    expect(elsewhere.server.calls.map(({ method }) => method)).toContain('eth_blockNumber')
    provider.removeListener('chainChanged', listener)
    await ask('wallet_switchEthereumChain', { chainId })
    expect(seen).toEqual(['0x1'])
  })

  test('accepts a chain that it already has, and refuses any other', async () => {
    const { ask } = await setUp()
    const details = { chainName: 'Any', rpcUrls: ['https://node.example'] }
    expect(await ask('wallet_addEthereumChain', { ...details, chainId: '0x1' })).toBeNull()
    expect(await ask('eth_chainId')).toBe(chainId)
    await expect(ask('wallet_addEthereumChain', { ...details, chainId: '0x2105' })).rejects.toMatchObject({
      code: 4200,
    })
    await expect(ask('wallet_addEthereumChain')).rejects.toMatchObject({ code: -32602 })
  })

  test.each([
    ['a chain the wallet has not', [{ chainId: '0x2105' }], 4902],
    ['a number', [{ chainId: 1 }], -32602],
    ['nothing', [], -32602],
  ])('refuses to switch to %s', async (_, params, code) => {
    const { ask } = await setUp()
    await expect(ask('wallet_switchEthereumChain', ...params)).rejects.toMatchObject({ code })
    expect(await ask('eth_chainId')).toBe(chainId)
  })
})

const typedData = {
  domain: { name: 'Shop', chainId: sepolia.id },
  types: { EIP712Domain: [{ name: 'name', type: 'string' }], Order: [{ name: 'item', type: 'string' }] },
  primaryType: 'Order' as const,
  message: { item: 'tea' },
}

describe('signing', () => {
  test('accepts typed data as JSON and as an object', async () => {
    const { ask, address } = await setUp()
    const signature = await ask('eth_signTypedData_v4', address, JSON.stringify(typedData))
    expect(await ask('eth_signTypedData_v4', address.toLowerCase(), typedData)).toBe(signature)
  })

  test.each(['eth_sign', 'personal_sign', 'eth_signTypedData_v4', 'eth_sendTransaction', 'wallet_sendCalls'])(
    'refuses %s for another account before confirming or sending',
    async (method) => {
      const confirmed: string[] = []
      const { ask, server } = await setUp({ confirm: (request) => confirmed.push(request.method) > 0 })
      const params = {
        eth_sign: [other, '0x12'],
        personal_sign: ['0x12', other],
        eth_signTypedData_v4: [other, typedData],
        eth_sendTransaction: [{ from: other, to: other }],
        wallet_sendCalls: [{ ...bundle, from: other }],
      }[method]
      const error: unknown = await ask(method, ...(params ?? [])).catch((thrown) => thrown)
      expect(error).toBeInstanceOf(ProviderRpcError)
      expect(error).toMatchObject({ code: 4100, message: 'cannot sign for address that is not the current account' })
      expect([sent(server), confirmed]).toEqual([0, []])
    },
  )

  test.each([
    ['of another chain', { ...typedData, domain: { chainId: 1 } }],
    ['of another chain, as text', { ...typedData, domain: { chainId: '0x1' } }],
    ['of no chain', { ...typedData, domain: { chainId: '' } }],
    ['without types', { ...typedData, types: undefined }],
    ['without a primary type', { ...typedData, primaryType: undefined }],
    ['that is no JSON', '{'],
    ['that is a list', []],
  ])('refuses typed data %s', async (_, data) => {
    const { ask, address } = await setUp()
    await expect(ask('eth_signTypedData_v4', address, data)).rejects.toMatchObject({ code: -32602 })
  })

  test.each([
    ['eth_signTypedData', 4200],
    ['eth_signTypedData_v3', 4200],
    ['eth_signTransaction', 4200],
    ['personal_unlockAccount', 4200],
    ['wallet_showCallsStatus', 5730],
  ])('refuses %s', async (method, code) => {
    const { ask, server } = await setUp()
    const before = server.calls.length
    await expect(ask(method, {})).rejects.toMatchObject({ code })
    expect(server.calls.length).toBe(before)
  })

  test.each(['0x', '0x0', undefined])('sends a call with the value %s', async (value) => {
    const { ask, server } = await setUp()
    await ask('wallet_sendCalls', { ...bundle, calls: [{ to: other, value }] })
    expect(sent(server)).toBe(1)
  })

  test.each([
    ['without `to`', { data: '0x' }, -32602],
    ['with a value in decimals', { to: other, value: '1' }, -32602],
    ['with half a byte', { to: other, data: '0x1' }, -32602],
    ['with data of two kinds', { to: other, data: '0x', input: '0x12' }, -32602],
    ['that makes the account another kind', { to: other, authorizationList: [] }, -32602],
    ['of another chain', { to: other, chainId: '0x1' }, 4901],
  ])('refuses a transaction %s', async (_, transaction, code) => {
    const { ask, server } = await setUp()
    await expect(ask('eth_sendTransaction', transaction)).rejects.toMatchObject({ code })
    expect(sent(server)).toBe(0)
  })
})

describe('the client as provider', () => {
  test('signs, sends and returns its account, and passes the rest to the node', async () => {
    const { client, server, ask, address } = await setUp()
    const wallet = createWalletClient({ chain: sepolia, account: address, transport: custom(client) })
    expect(await wallet.getAddresses()).toEqual([address])
    expect(await wallet.requestAddresses()).toEqual([address])
    expect(await wallet.getChainId()).toBe(sepolia.id)
    expect(await wallet.signMessage({ message: 'tea' })).toBe(await ask('personal_sign', 'tea', address))
    const order = { ...typedData, types: { Order: typedData.types.Order } }
    expect(await wallet.signTypedData(order)).toBe(await ask('eth_signTypedData_v4', address, order))
    const asked = () => server.calls.map(({ method }) => method)
    expect(asked().filter((method) => /sign|account/i.test(method))).toEqual([])
    await client.request({ method: 'eth_blockNumber' })
    expect(asked().at(-1)).toBe('eth_blockNumber')
  })

  test('refuses to sign or send for another address', async () => {
    const { client, server } = await setUp()
    const refusal = { code: 4100, message: 'cannot sign for address that is not the current account' }
    const asking = [
      client.request({ method: 'personal_sign', params: ['0x12', other] }),
      client.request({ method: 'eth_sign', params: [other, '0x12'] }),
      client.request({ method: 'eth_signTypedData_v4', params: [other, JSON.stringify(typedData)] }),
      client.request({ method: 'eth_sendTransaction', params: [{ from: other, to: other }] }),
    ]
    for (const end of await Promise.allSettled(asking)) expect(end).toMatchObject({ reason: refusal })
    expect(sent(server)).toBe(0)
  })
})

describe('confirm', () => {
  test.each([
    ['false', () => false],
    ['a rejection', () => Promise.reject(new TypeError('closed'))],
    // Only `true` counts as a confirmation.
    ['something else', () => 'no' as unknown as boolean],
  ])('sends nothing after %s and fails with 4001', async (_, confirm) => {
    const seen: ConfirmRequest[] = []
    const { ask, server, address } = await setUp({
      confirm: (request) => {
        seen.push(request)
        return confirm()
      },
    })
    await expect(ask('personal_sign', '0x12', address)).rejects.toMatchObject({ code: 4001 })
    await expect(ask('wallet_sendCalls', bundle)).rejects.toMatchObject({ code: 4001 })
    expect(seen).toMatchObject([
      { method: 'personal_sign', address, chainId: sepolia.id, params: ['0x12', address] },
      { method: 'wallet_sendCalls', params: [bundle] },
    ])
    expect(sent(server)).toBe(0)
  })

  test('refuses when the chain changes during the confirmation', async () => {
    const { ask, address } = await setUp({
      confirm: async () => (await ask('wallet_switchEthereumChain', { chainId: '0x1' })) === null,
    })
    await expect(ask('personal_sign', '0x12', address)).rejects.toMatchObject({ code: 4100 })
  })
})

describe('calls (EIP-5792)', () => {
  const receipt = {
    success: true,
    actualGasUsed: '0x5',
    logs: [{ address: other, data: '0x', topics: [zeroHash] }],
    receipt: { transactionHash: zeroHash, blockHash: zeroHash, blockNumber: '0x7', gasUsed: '0x9' },
  }
  const replying = (replies: Record<string, unknown>): RecordedClientOptions => ({
    reply: ({ method }) => (Object.hasOwn(replies, method) ? { result: replies[method] } : undefined),
  })

  test('sends one operation whose status any provider can read', async () => {
    const { ask, server } = await setUp({ recorded: replying({ eth_getUserOperationByHash: {} }) })
    const { id } = (await ask('wallet_sendCalls', { ...bundle, calls: [...calls, ...calls] })) as { id: string }
    expect(id).toBe(toCallsId({ chainId: sepolia.id, hash: zeroHash }))
    expect(sent(server)).toBe(1)
    expect(await ask('wallet_getCallsStatus', id)).toEqual({ version: '2.0.0', id, chainId, status: 100, atomic: true })
    const reloaded = await setUp({ recorded: replying({ eth_getUserOperationReceipt: receipt }) })
    expect(await reloaded.ask('wallet_getCallsStatus', id)).toEqual({
      version: '2.0.0',
      id,
      chainId,
      atomic: true,
      status: 200,
      receipts: [
        {
          logs: receipt.logs,
          status: '0x1',
          gasUsed: '0x5',
          transactionHash: zeroHash,
          blockHash: zeroHash,
          blockNumber: '0x7',
        },
      ],
    })
  })

  test('reports a reverted operation as failed', async () => {
    const { ask } = await setUp({ recorded: replying({ eth_getUserOperationReceipt: { ...receipt, success: false } }) })
    const id = toCallsId({ chainId: sepolia.id, hash: zeroHash })
    expect(await ask('wallet_getCallsStatus', id)).toMatchObject({ status: 500, receipts: [{ status: '0x0' }] })
  })

  test('refuses the receipt of another operation', async () => {
    const foreign = { ...receipt, userOpHash: `0x${'11'.repeat(32)}` }
    const { ask } = await setUp({ recorded: replying({ eth_getUserOperationReceipt: foreign }) })
    const id = toCallsId({ chainId: sepolia.id, hash: zeroHash })
    await expect(ask('wallet_getCallsStatus', id)).rejects.toMatchObject({
      message: expect.stringContaining('The service returned the receipt of another operation.'),
    })
  })

  test('accepts an app-chosen id once', async () => {
    const shown: string[] = []
    const { ask, server } = await setUp({
      recorded: replying({ eth_getUserOperationReceipt: receipt }),
      showCallsStatus: (id) => shown.push(id),
    })
    const own = { ...bundle, id: 'order-7' }
    expect(await ask('wallet_sendCalls', own)).toMatchObject({ id: 'order-7' })
    expect(await ask('wallet_getCallsStatus', 'order-7')).toMatchObject({ id: 'order-7', status: 200 })
    await ask('wallet_showCallsStatus', 'order-7')
    expect(shown).toEqual(['order-7'])
    await expect(ask('wallet_sendCalls', own)).rejects.toMatchObject({ code: 5720 })
    expect(sent(server)).toBe(1)
  })

  test.each([
    ['of an earlier version', { version: '1.0' }, -32602],
    ['of a chain to switch to', { chainId: '0x1' }, 5710],
    ['of an unknown chain', { chainId: '0x2105' }, 5710],
    ['that are none', { calls: [] }, -32602],
    ['that are too many', { calls: Array.from({ length: 201 }, () => calls[0]) }, 5740],
    ['one of which makes a contract', { calls: [{ data: '0x' }] }, -32602],
    ['with a capability the wallet has not', { capabilities: { flow: {} } }, 5700],
    ['one of which needs a capability', { calls: [{ to: other, capabilities: { flow: {} } }] }, 5700],
    ['with an id of ours', { id: toCallsId({ chainId: 1, hash: zeroHash }) }, 5720],
    ['with an empty id', { id: '' }, -32602],
    ['to be paid over plain HTTP', { capabilities: { paymasterService: { url: 'http://example.com' } } }, -32602],
    ['to be paid by a script', { capabilities: { paymasterService: { url: 'javascript:0' } } }, -32602],
  ])('refuses calls %s', async (_, change, code) => {
    const { ask, server } = await setUp()
    await expect(ask('wallet_sendCalls', { ...bundle, ...change })).rejects.toMatchObject({ code })
    expect(sent(server)).toBe(0)
  })

  test.each([
    ['of no kind', 'order-9'],
    ['of no operation', toCallsId({ chainId: sepolia.id, hash: zeroHash })],
    ['of a chain the wallet has not', toCallsId({ chainId: 8453, hash: zeroHash })],
    ['that is no text', 7],
  ])('refuses the status of an id %s', async (_, id) => {
    const { ask } = await setUp()
    await expect(ask('wallet_getCallsStatus', id)).rejects.toMatchObject({ code: 5730 })
  })

  test('returns the capabilities of the requested chains', async () => {
    const { ask, address } = await setUp()
    const each = { atomic: { status: 'supported' }, paymasterService: { supported: true } }
    expect(await ask('wallet_getCapabilities', address)).toEqual({ [chainId]: each, '0x1': each })
    expect(await ask('wallet_getCapabilities', address, ['0x1', '0x2'])).toEqual({ '0x1': each })
    await expect(ask('wallet_getCapabilities', zeroAddress)).rejects.toMatchObject({ code: 4100 })
  })
})

describe('errors', () => {
  test('keeps number and data of a refusal by the node', async () => {
    const data = '0x08c379a0'
    const { ask } = await setUp({
      recorded: {
        reply: ({ method }) =>
          method === 'eth_estimateGas' ? { error: { code: 3, message: 'execution reverted', data } } : undefined,
      },
    })
    await expect(ask('eth_estimateGas', { to: other })).rejects.toMatchObject({ code: 3, data })
  })

  test('converts a refusal of the gas manager to a rejected transaction', async () => {
    const { ask } = await setUp({
      recorded: {
        reply: ({ method }) =>
          method === 'alchemy_requestGasAndPaymasterAndData'
            ? { error: { code: -32000, message: 'Over the limit.', data: { code: 'POLICY_REFUSED' } } }
            : undefined,
      },
    })
    await expect(ask('eth_sendTransaction', { to: other })).rejects.toMatchObject({
      code: -32003,
      data: { code: 'POLICY_REFUSED' },
    })
  })

  test('reports an unreachable node as disconnected, without its key', async () => {
    const { ask, server } = await setUp()
    await server.close()
    const error = await ask('eth_blockNumber').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 4900 })
    expect(String(error)).not.toContain('secret-key')
  })

  test.each([undefined, {}, { method: 7 }, 'eth_accounts'])('refuses the request %j', async (request) => {
    const { provider } = await setUp()
    await expect(provider.request(request as { method: string })).rejects.toMatchObject({ code: -32602 })
  })

  test.each(['constructor', '__proto__', 'toString'])('passes %s to the node', async (method) => {
    const { ask, server } = await setUp()
    await ask(method)
    expect(server.calls.at(-1)?.method).toBe(method)
  })
})
