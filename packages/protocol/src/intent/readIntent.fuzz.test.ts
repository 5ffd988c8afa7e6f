import fc from 'fast-check'
import { type Abi, decodeFunctionData, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import { readCalls } from './readCalls.ts'
import { readIntent } from './readIntent.ts'

/** `FUZZ_INPUTS=100000` tries more inputs, and another `LATCHKEY_SEED` tries others. */
const options = { numRuns: Number(process.env.FUZZ_INPUTS ?? 10_000), seed: Number(process.env.LATCHKEY_SEED) }

const struct = 'struct Call { address target; uint256 value; bytes data; }'
/** Each form has its own ABI, as in an account: viem uses the first function of a name. */
const forms: readonly Abi[] = [
  parseAbi(['function execute(address dest, uint256 value, bytes func)']),
  parseAbi(['function executeBatch(address[] dest, bytes[] func)']),
  parseAbi(['function executeBatch(address[] dest, uint256[] value, bytes[] func)']),
  parseAbi([struct, 'function executeBatch(Call[] calls)']),
  parseAbi([struct, 'function executeWithSessionKey(Call[] calls, address sessionKey)']),
]

const toHex = (bytes: Uint8Array): Hex => `0x${Buffer.from(bytes).toString('hex')}`
const hex = (lengths: { minLength?: number; maxLength: number }) => fc.uint8Array(lengths).map(toHex)
const call = fc.record({
  target: hex({ minLength: 20, maxLength: 20 }),
  value: fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }),
  data: hex({ maxLength: 70 }),
})
const encoded = fc
  .tuple(fc.nat(forms.length - 1), fc.array(call, { minLength: 1, maxLength: 5 }))
  .map(([form, calls]) => {
    const [to, values, data] = [
      calls.map(({ target }) => target),
      calls.map(({ value }) => value),
      calls.map(({ data }) => data),
    ]
    const args = [[to[0], values[0], data[0]], [to, data], [to, values, data], [calls], [calls, to[0]]][form]
    return { form, callData: encodeFunctionData({ abi: forms[form] ?? [], args: args ?? [] }) }
  })
/** Changes up to three bytes, which are often part of an offset or a length. */
const mutation = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 3 })

function mutate(callData: Hex, changes: readonly (readonly [number, number])[]): Hex {
  const bytes = Buffer.from(callData.slice(2), 'hex')
  for (const [at, value] of changes) bytes[4 + (at % (bytes.length - 4))] = value
  return toHex(bytes)
}

/** Returns the calls as viem decodes them, if the data is what viem encodes. */
function decodeWithViem(form: number, data: Hex) {
  const abi = forms[form] ?? []
  try {
    const { args = [] } = decodeFunctionData({ abi, data })
    if (encodeFunctionData({ abi, args }) !== data) return undefined
    const lists = args as Hex[][]
    if (form === 0) return [{ to: args[0], value: args[1], data: args[2] }]
    if (form > 2)
      return (args[0] as { target: Hex; value: bigint; data: Hex }[]).map((one) => ({ ...one, to: one.target }))
    const [to = [], ...rest] = lists
    if (rest.some((list) => list.length !== to.length)) return undefined
    return to.map((target, index) => ({
      to: target,
      value: form === 1 ? 0n : rest[0]?.[index],
      data: rest.at(-1)?.[index],
    }))
  } catch {
    return undefined
  }
}

test('reads exactly the calls that viem encodes, and nothing from other bytes', () => {
  let read = 0
  fc.assert(
    fc.property(encoded, mutation, ({ form, callData }, changes) => {
      const data = mutate(callData, changes)
      const calls = readCalls(data)
      if (calls) read++
      const wanted = decodeWithViem(form, data)?.map(({ to, value, data }) => ({
        to: String(to).toLowerCase(),
        value,
        data,
      }))
      expect(calls).toEqual(wanted)
    }),
    options,
  )
  expect(read).toBeGreaterThan(options.numRuns / 10)
})

test('reads any bytes without a failure', () => {
  const selectors = ['0x34fcd5be', '0x18dfb3c7', '0x8dd7712f', '0x39562247', '0x1bbf564c', '0xa9059cbb']
  fc.assert(
    fc.property(fc.constantFrom(...selectors), hex({ maxLength: 400 }), (selector, rest) => {
      const callData = `${selector}${rest.slice(2)}`
      const intent = readIntent({ kind: 'operation', sender: `0x${'11'.repeat(20)}`, callData })
      expect('acts' in intent || 'unread' in intent).toBe(true)
    }),
    options,
  )
})
