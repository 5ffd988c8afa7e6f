import { type Address, encodeAbiParameters, type Hex, pad, parseAbiParameters, toEventSelector } from 'viem'
import { expect, test } from 'vitest'
import { readAssetChanges } from './readAssetChanges.ts'

const account: Address = `0x${'ac'.repeat(20)}`
const friend: Address = `0x${'0f'.repeat(20)}`
const token: Address = `0x${'70'.repeat(20)}`
const operator: Address = `0x${'09'.repeat(20)}`
const word = (value: bigint): Hex => pad(`0x${value.toString(16)}`, { size: 32 })

function log(event: string, topics: readonly Hex[], data: Hex = '0x') {
  return { address: token, topics: [toEventSelector(event), ...topics.map((topic) => pad(topic, { size: 32 }))], data }
}
const transfer = (from: Hex, to: Hex, amount: bigint) =>
  log('Transfer(address,address,uint256)', [from, to], word(amount))
const sent = { kind: 'transfer', contract: token, from: account, to: friend }
const received = { ...sent, from: friend, to: account }
const approved = { ...sent, kind: 'approval' }

test("reads transfers and approvals of each standard, the account's first", () => {
  const two = encodeAbiParameters(parseAbiParameters('uint256, uint256'), [5n, 6n])
  const lists = [
    [1n, 2n],
    [10n, 20n],
  ] as const
  const logs = [
    transfer(friend, operator, 4n),
    transfer(account, friend, 3n),
    log('Transfer(address,address,uint256)', [friend, account, '0x07']),
    log('Approval(address,address,uint256)', [account, friend], word(8n)),
    log('ApprovalForAll(address,address,bool)', [account, friend], word(1n)),
    log('ApprovalForAll(address,address,bool)', [account, friend], word(0n)),
    log('TransferSingle(address,address,address,uint256,uint256)', [operator, account, friend], two),
    log(
      'TransferBatch(address,address,address,uint256[],uint256[])',
      [operator, friend, account],
      encodeAbiParameters(parseAbiParameters('uint256[], uint256[]'), lists),
    ),
  ]
  expect(readAssetChanges(account.toUpperCase().replace('X', 'x'), logs)).toEqual({
    count: 9,
    changes: [
      { ...sent, standard: 'ERC-20', amount: '3', tokenId: null },
      { ...received, standard: 'ERC-721', amount: null, tokenId: '7' },
      { ...approved, standard: 'ERC-20', amount: '8', tokenId: null },
      { ...approved, standard: 'ERC-721 or ERC-1155', amount: null, tokenId: null },
      { ...approved, standard: 'ERC-721 or ERC-1155', amount: '0', tokenId: null },
      { ...sent, standard: 'ERC-1155', amount: '6', tokenId: '5' },
      { ...received, standard: 'ERC-1155', amount: '10', tokenId: '1' },
      { ...received, standard: 'ERC-1155', amount: '20', tokenId: '2' },
      { ...sent, from: friend, to: operator, standard: 'ERC-20', amount: '4', tokenId: null },
    ],
  })
})

test('keeps the first hundred changes and counts all', () => {
  const logs = Array.from({ length: 130 }, (_, index) => transfer(friend, operator, BigInt(index)))
  const { changes, count } = readAssetChanges(account, [...logs, transfer(friend, account, 130n)])
  expect([count, changes.length, changes[0]?.amount]).toEqual([131, 100, '130'])
})

test('skips malformed logs', () => {
  const long: Hex = `0x${'00'.repeat(20_001)}`
  const logs = [
    null,
    {},
    { address: token, topics: [], data: '0x' },
    { ...transfer(account, friend, 1n), data: '0x1' },
    { ...transfer(account, friend, 1n), data: 'no hex' },
    log('Transfer(address,address,uint256)', [account]),
    log('TransferBatch(address,address,address,uint256[],uint256[])', [operator, friend, account], long),
  ]
  expect(readAssetChanges(account, logs)).toEqual({ changes: [], count: 0 })
})
