import { expect, test } from 'vitest'
import { decodeCbor } from './cbor.ts'

const decode = (hex: string) => decodeCbor(new Uint8Array(Buffer.from(hex, 'hex')))

// The examples are from RFC 8949, appendix A.
test.each([
  ['00', 0],
  ['17', 23],
  ['1818', 24],
  ['1903e8', 1000],
  ['1a000f4240', 1_000_000],
  ['20', -1],
  ['3903e7', -1000],
  ['f4', false],
  ['f5', true],
  ['f6', null],
  ['60', ''],
  ['6449455446', 'IETF'],
  ['62c3bc', 'ü'],
  ['4401020304', Uint8Array.of(1, 2, 3, 4)],
  ['8301820203820405', [1, [2, 3], [4, 5]]],
  ['a201020304', new Map([[1, 2], [3, 4]])], // biome-ignore format: one line a case
  ['a26161016162820203', new Map<string, unknown>([['a', 1], ['b', [2, 3]]])], // biome-ignore format: one line a case
])('decodes %s', (hex, value) => {
  expect(decode(hex)).toEqual({ value, length: hex.length / 2 })
})

test('leaves bytes after the item', () => {
  expect(decode('0102')).toEqual({ value: 1, length: 1 })
})

test.each([
  ['', 'nothing'],
  ['19ff', 'a cut argument'],
  ['4401', 'cut bytes'],
  ['9a7fffffff00', 'an array longer than the input'],
  ['ba7fffffff00', 'a map longer than the input'],
  ['61ff', 'text that is not UTF-8'],
  ['a201020103', 'a key twice'],
  ['a1f401', 'a key that is neither number nor text'],
  ['818181818100', 'deep nesting'],
  ['5f42010243030405ff', 'an indefinite length'],
  ['c074', 'a tag'],
  ['f93c00', 'a float'],
  ['f7', 'undefined'],
  ['1bffffffffffffffff', 'an integer of eight bytes'],
])('refuses %s (%s)', (hex) => {
  expect(decode(hex)).toBeUndefined()
})
