import { encodeFunctionData, erc20Abi, erc721Abi, type Hex, maxUint256, parseEther, serializeTransaction } from 'viem'
import { expect, test } from 'vitest'
import { describeMessage, describeTransaction, showHidden, toUnits } from './describe.ts'
import { readTransaction } from './transaction.ts'

const to = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const other = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const describeIt = (changes: { chainId?: number; data?: Hex; to?: typeof to | null; value?: bigint } = {}) => {
  const fees = { gas: 100_000n, maxFeePerGas: 20_000_000_000n, maxPriorityFeePerGas: 1_500_000_000n }
  const text = serializeTransaction({ type: 'eip1559', chainId: 1, nonce: 7, to, value: 0n, ...fees, ...changes })
  return Object.fromEntries(describeTransaction(readTransaction(text)).map(({ name, text: shown }) => [name, shown]))
}

test('describes a transfer of ether', () => {
  expect(describeIt({ value: parseEther('1.5') })).toEqual({
    To: to,
    Value: '1.5 ETH (1500000000000000000 wei)',
    Network: 'Ethereum (chain 1)',
    Data: 'None',
    Fees: 'At most 0.002 ETH: 100000 gas at 20 gwei, including a tip of 1.5 gwei per gas',
    Nonce: '7',
  })
})

test('describes token calls and still shows their bytes', () => {
  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [other, maxUint256] })
  expect(describeIt({ data: approve })).toMatchObject({
    Call: `approve: spender ${other}, amount unlimited`,
    'Data, 68 bytes': approve,
  })
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [other, 25n] })
  expect(describeIt({ data: transfer }).Call).toBe(`transfer: to ${other}, amount 25 (in the token's smallest unit)`)
  const forAll = encodeFunctionData({ abi: erc721Abi, functionName: 'setApprovalForAll', args: [other, true] })
  expect(describeIt({ data: forAll }).Call).toBe(`setApprovalForAll: operator ${other}, approved yes`)
  // Malformed data must not be described as a call.
  const dirty: Hex = `0x${approve.slice(2, 10)}01${approve.slice(12)}`
  for (const data of [`${approve}00`, approve.slice(0, -2), dirty, '0x12345678'] as Hex[])
    expect(describeIt({ data })).not.toHaveProperty('Call')
})

test('describes a new contract and an unknown chain', () => {
  expect(describeIt({ to: null, data: '0x6000' })).toMatchObject({ To: 'New contract' })
  expect(describeIt({ chainId: 424242, value: 1n })).toMatchObject({
    Network: 'Chain 424242',
    Value: '0.000000000000000001 native coin of chain 424242 (1 wei)',
  })
})

test('shows invisible characters by their code points', () => {
  expect(showHidden('plain\nZoë 日本 🔑')).toBe('plain\nZoë 日本 🔑')
  expect(showHidden('a\u202eb\u200bc\u0000d\r\te\u2028f\u{e0041}')).toBe(
    'a{U+202E}b{U+200B}c{U+0000}d{U+000D}{U+0009}e{U+2028}f{U+E0041}',
  )
  expect(describeMessage('hé')).toEqual([
    { name: 'Message', text: 'hé' },
    { name: 'Bytes', text: '0x68c3a9', isCode: true },
  ])
})

test('formats exact amounts', () => {
  for (const [amount, decimals, text] of [
    [0n, 18, '0'],
    [1n, 18, '0.000000000000000001'],
    [10n ** 18n, 18, '1'],
    [1_230_000_000n, 9, '1.23'],
    [2n ** 256n - 1n, 18, '115792089237316195423570985008687907853269984665640564039457.584007913129639935'],
  ] as const)
    expect(toUnits(amount, decimals)).toBe(text)
})
