import { concatHex, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { describeCalls } from './describeCalls.ts'

const [sender, token, friend] = ['aa', 'bb', 'cc'].map((byte): Hex => `0x${byte.repeat(20)}`) as [Hex, Hex, Hex]
const accounts = parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
])
const tokens = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function transferFrom(address from, address to, uint256 amountOrId)',
  'function approve(address spender, uint256 amountOrId)',
  'function safeTransferFrom(address from, address to, uint256 tokenId)',
  'function setApprovalForAll(address operator, bool approved)',
  'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)',
])
const batch = (data: readonly Hex[]) => {
  const args = [data.map(() => token), data.map(() => 0n), data] as const
  return encodeFunctionData({ abi: accounts, functionName: 'executeBatch', args })
}
const one = (data: Hex, value = 0n) =>
  encodeFunctionData({ abi: accounts, functionName: 'execute', args: [token, value, data] })
const lower = (value: unknown): unknown => JSON.parse(JSON.stringify(value).toLowerCase())

test('describes calls with their token and coin changes', () => {
  const transfer = encodeFunctionData({ abi: tokens, functionName: 'transfer', args: [friend, 7n] })
  expect(lower(describeCalls(sender, one(transfer, 5n)))).toEqual(
    lower({
      callData: one(transfer, 5n),
      count: 1,
      calls: [
        {
          to: token,
          value: '5',
          selector: '0xa9059cbb',
          signature: 'transfer(address,uint256)',
          arguments: [
            { name: 'to', type: 'address', value: friend },
            { name: 'amount', type: 'uint256', value: '7' },
          ],
          data: transfer,
        },
      ],
      changes: [
        { kind: 'transfer', standard: 'native', contract: null, from: sender, to: token, amount: '5', tokenId: null },
        { kind: 'transfer', standard: 'ERC-20', contract: token, from: sender, to: friend, amount: '7', tokenId: null },
      ],
    }),
  )
})

test('describes approvals, transfers of NFTs and batches', () => {
  const encode = (functionName: string, args: readonly unknown[]) =>
    encodeFunctionData({ abi: tokens, functionName, args } as never)
  const data = [
    encode('approve', [friend, 2n ** 256n - 1n]),
    encode('transferFrom', [friend, sender, 1n]),
    encode('safeTransferFrom', [sender, friend, 9n]),
    encode('setApprovalForAll', [friend, true]),
    encode('setApprovalForAll', [friend, false]),
    encode('safeBatchTransferFrom', [sender, friend, [1n, 2n], [3n, 4n], '0x']),
    encode('safeBatchTransferFrom', [sender, friend, [1n, 2n], [3n], '0x']),
  ]
  const { changes } = describeCalls(sender, batch(data))
  expect(changes.map(({ kind, standard, amount, tokenId }) => [kind, standard, amount, tokenId])).toEqual([
    ['approval', 'ERC-20 or ERC-721', String(2n ** 256n - 1n), null],
    ['transfer', 'ERC-20 or ERC-721', '1', null],
    ['transfer', 'ERC-721', null, '9'],
    ['approval', 'ERC-721 or ERC-1155', null, null],
    ['approval', 'ERC-721 or ERC-1155', '0', null],
    ['transfer', 'ERC-1155', '3', '1'],
    ['transfer', 'ERC-1155', '4', '2'],
  ])
  expect(changes[1]?.from.toLowerCase()).toBe(friend)
})

test('bounds hostile call data and never throws', () => {
  const word = (value: number | bigint) => numberToHex(value, { size: 32 })
  const selectors = { batch: '0x18dfb3c7', structs: '0x34fcd5be', one: '0xb61d27f6' } as const
  // All offsets in the list point to the same bytes.
  const count = 700
  const element = concatHex([word(count * 32 - 32), `0x${'ab'.repeat(count * 32 - 32)}`])
  const same = concatHex([word(count), ...Array.from({ length: count }, () => word(count * 32)), element])
  const hostile: string[] = [
    concatHex([selectors.batch, word(64), word(64), same]),
    concatHex([selectors.structs, word(32), same]),
    concatHex([selectors.structs, word(32), word(2n ** 255n)]),
    concatHex([selectors.structs, word(0), word(0)]),
    concatHex([selectors.one, word(1), word(1), word(2n ** 256n - 1n)]),
    `${selectors.one}zz`,
    `${selectors.one}0`,
    'no hex at all',
    `0x${'00'.repeat(500_000)}`,
    one(`0xa9059cbb${'ff'.repeat(63)}`),
    one(concatHex(['0x2eb2c2d6', word(1), word(1), word(160), word(160), word(160), word(2n ** 64n)])),
    Array.from({ length: 40 }).reduce<Hex>((inner) => one(inner), '0x'),
  ]
  for (const callData of hostile) expect(describeCalls(sender, callData).callData).toBe(callData)
  expect(describeCalls(sender, hostile.at(-1) ?? null).calls).toHaveLength(1)
  expect(describeCalls(sender, hostile.at(-3) ?? null).calls?.[0]?.signature).toBeNull()
})
