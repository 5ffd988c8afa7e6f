import { setImmediate } from 'node:timers/promises'
import { hashTypedData } from 'viem'
import { expect, test } from 'vitest'
import { hashTypedDataFairly, type TypedData, typedDataBounds } from './hashTypedDataFairly.ts'

const budget = () => ({ ...typedDataBounds })
const hash = (typedData: TypedData) => hashTypedDataFairly(typedData, budget())
/** viem's function requires types known at compile time. */
const expected = (typedData: TypedData) => hashTypedData(typedData as Parameters<typeof hashTypedData>[0])

const address = '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826'
const mail: TypedData = {
  domain: { name: 'Mail', version: '1', chainId: 1, verifyingContract: address },
  types: {
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallets', type: 'address[]' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person[]' },
      { name: 'grid', type: 'int16[2][]' },
      { name: 'data', type: 'bytes' },
      { name: 'tag', type: 'bytes4' },
      { name: 'ok', type: 'bool' },
      { name: 'amount', type: 'uint256' },
    ],
  },
  primaryType: 'Mail',
  message: {
    from: { name: 'Grüße', wallets: [address, address] },
    to: [{ name: '', wallets: [] }],
    grid: [
      [1, -2],
      [32_767, 0],
    ],
    data: '0x1234',
    tag: '0xdeadbeef',
    ok: true,
    amount: '123456789012345678901234567890',
    ignored: 'not in its type',
  },
}

test('computes the same digest as viem', async () => {
  expect(await hash(mail)).toBe(expected(mail))
})

test('agrees with viem for random types', async () => {
  const seed = Number(process.env.LATCHKEY_SEED)
  console.info('seed', seed)
  let state = seed
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor((state / 2 ** 31) * below)
  }
  const atoms: [string, () => unknown][] = [
    ['uint8', () => random(256)],
    ['int64', () => -random(1_000)],
    ['string', () => 'é'.repeat(random(40))],
    ['bytes', () => `0x${'ab'.repeat(random(70))}`],
    ['bytes32', () => `0x${'cd'.repeat(32)}`],
    ['bool', () => random(2) === 1],
    ['address', () => address],
  ]
  for (let round = 0; round < 60; round++) {
    const types: Record<string, { name: string; type: string }[]> = {}
    let structs = 0
    const make = (level: number): Record<string, unknown> => {
      const fields: { name: string; type: string }[] = []
      const data: Record<string, unknown> = {}
      for (let index = 0; index < 1 + random(4); index++) {
        const [atom, value] = atoms[random(atoms.length)] ?? ['bool', () => true]
        const isStruct = level < 3 && random(3) === 0
        const [type, one] = isStruct ? [`T${structs++}`, undefined] : [atom, value]
        const name = `f${level}_${index}`
        if (isStruct) data[name] = nested(type, level + 1)
        else data[name] = one?.()
        const isList = random(3) === 0
        fields.push({ name, type: isList ? `${type}[]` : type })
        if (isList) data[name] = Array.from({ length: random(4) }, () => data[name])
      }
      types[level === 0 ? 'Root' : current] = fields
      return data
    }
    let current = 'Root'
    const nested = (type: string, level: number) => {
      const before = current
      current = type
      const data = make(level)
      current = before
      return data
    }
    const typedData = { domain: {}, types, primaryType: 'Root', message: make(0) }
    expect(await hash(typedData), `round ${round}`).toBe(expected(typedData))
  }
})

test('refuses data that are too large before hashing', async () => {
  const list = (type: string, items: unknown[]): TypedData => ({
    domain: {},
    types: { List: [{ name: 'items', type }], Empty: [] },
    primaryType: 'List',
    message: { items },
  })
  const tooLarge = { code: 'REQUEST_INVALID', message: expect.stringContaining('too large to be hashed') }
  const empty = Array.from({ length: 18_000 }, () => ({}))
  await expect(hash(list('Empty[]', empty))).rejects.toMatchObject(tooLarge)
  await expect(hash(list('uint8[]', Array(typedDataBounds.elements).fill(1)))).rejects.toMatchObject(tooLarge)
  await expect(hash(list('uint8[][]', Array(typedDataBounds.elements).fill([])))).rejects.toMatchObject(tooLarge)
  let deep: unknown = []
  for (let depth = 0; depth <= typedDataBounds.depth; depth++) deep = [deep]
  await expect(hash(list('uint8[]', [deep]))).rejects.toMatchObject(tooLarge)
  const fits = list('uint8[]', Array(typedDataBounds.elements - 10).fill(1))
  expect(await hash(fits)).toBe(expected(fits))
})

test('refuses types whose texts grow quadratically', async () => {
  const count = 900
  const types = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`T${index}`, [{ name: 'next', type: `T${index + 1}[]` }]]),
  )
  const used = Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, { next: [] }]))
  const root = Object.keys(used).map((name, index) => ({ name, type: `T${index}` }))
  const typedData = { domain: {}, types: { ...types, Root: root }, primaryType: 'Root', message: used }
  await expect(hash(typedData)).rejects.toMatchObject({ message: expect.stringContaining('with fewer types') })
})

test('shares one budget among the payloads of a request', async () => {
  const shared = budget()
  const half = { ...mail, message: { ...mail.message, ignored: Array(typedDataBounds.elements / 2).fill(0) } }
  await hashTypedDataFairly(half, shared)
  await expect(hashTypedDataFairly(half, shared)).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
})

test('yields to other work', async () => {
  let turns = 0
  let isDone = false
  const others = (async () => {
    while (!isDone) {
      await setImmediate()
      turns++
    }
  })()
  const items = Array.from({ length: typedDataBounds.elements / 2 - 10 }, (_, index) => ({ text: `text ${index}` }))
  const types = { List: [{ name: 'items', type: 'Item[]' }], Item: [{ name: 'text', type: 'string' }] }
  await hash({ domain: {}, types, primaryType: 'List', message: { items } })
  isDone = true
  await others
  expect(turns).toBeGreaterThan(1)
})

test.each<[string, Partial<TypedData>]>([
  ['a member is missing', { message: { ...mail.message, from: undefined } }],
  ['a number out of range', { message: { ...mail.message, grid: [[1, 40_000]] } }],
  ['bytes of another length', { message: { ...mail.message, tag: '0xdead' } }],
  [
    'an address with a wrong checksum',
    { message: { ...mail.message, from: { name: '', wallets: [address.toLowerCase().replace('cd', 'CD')] } } },
  ],
  ['a type without a size', { types: { Mail: [{ name: 'amount', type: 'uint' }] } }],
  ['an unknown type', { types: { Mail: [{ name: 'amount', type: 'Money' }] } }],
  ['an unknown primary type', { primaryType: 'Letter' }],
  ['a name of the prototype', { primaryType: 'constructor' }],
  ['a struct named like a type', { types: { Mail: [{ name: 'from', type: 'uint8' }], uint8: [] } }],
])('refuses %s', async (_, changes) => {
  await expect(hash({ ...mail, ...changes })).rejects.toThrow()
})
