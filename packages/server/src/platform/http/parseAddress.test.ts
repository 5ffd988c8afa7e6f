import { BlockList } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseAddress } from './parseAddress.ts'

const groups = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 8, maxLength: 8 })
const bytes = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 4, maxLength: 4 })
const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined })

function spell(values: readonly number[], { width = 1, upper = false, dotted = false, compressFrom = -1 }): string {
  const hex = values.map((value) => value.toString(16).padStart(width, '0'))
  const [high = 0, low = 0] = values.slice(6)
  const texts = dotted ? [...hex.slice(0, 6), [high >> 8, high & 255, low >> 8, low & 255].join('.')] : hex
  const last = dotted ? 6 : 8
  const from = values.findIndex((value, index) => index >= compressFrom && index < last && value === 0)
  if (compressFrom < 0 || from < 0) return upper ? texts.join(':').toUpperCase() : texts.join(':')
  let end = from
  while (end < last && values[end] === 0) end++
  const text = `${texts.slice(0, from).join(':')}::${texts.slice(end).join(':')}`
  return upper ? text.toUpperCase() : text
}

const style = fc.record({
  width: fc.constantFrom(1, 4),
  upper: fc.boolean(),
  dotted: fc.boolean(),
  compressFrom: fc.integer({ min: -1, max: 6 }),
})

test('reads every spelling of an IPv6 address as one', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        groups,
        groups.map((all) => all.map((value) => value & 1)),
      ),
      style,
      port,
      (all, form, number) => {
        const text = spell(all, form)
        const parsed = parseAddress(text)
        const expected = all.map((value) => value.toString(16)).join(':')
        const isCarrier = /^(?:0:0:0:0:0:ffff|64:ff9b:0:0:0:0):/.test(expected)
        if (!isCarrier) expect(parsed).toBe(expected)
        // Node's own parser treats both forms as the same address.
        const list = new BlockList()
        list.addAddress(text, 'ipv6')
        if (!isCarrier) expect(list.check(parsed ?? '', 'ipv6')).toBe(true)
        expect(parseAddress(`[${text}]`)).toBe(parsed)
        expect(parseAddress(`"[${text}]:${number ?? '_hidden'}"`)).toBe(parsed)
        expect(parseAddress(` ${text}%eth0 `)).toBe(parsed)
      },
    ),
  )
})

test('reads an IPv4 address with a port, mapped and by NAT64 as one', () => {
  fc.assert(
    fc.property(bytes, style, port, (four, form, number) => {
      const [a = 0, b = 0, c = 0, d = 0] = four
      const ip = four.join('.')
      const low = [a * 256 + b, c * 256 + d]
      expect(parseAddress(ip)).toBe(ip)
      expect(parseAddress(`${ip}:${number ?? 80}`)).toBe(ip)
      expect(parseAddress(`"${ip}:${number ?? 80}"`)).toBe(ip)
      expect(parseAddress(spell([0, 0, 0, 0, 0, 0xffff, ...low], form))).toBe(ip)
      expect(parseAddress(`[${spell([0x64, 0xff9b, 0, 0, 0, 0, ...low], form)}]:443`)).toBe(ip)
    }),
  )
})

test.each([
  ...[
    '',
    'unknown',
    '_hidden',
    'a',
    '1.2.3',
    '1.2.3.4.5',
    '010.1.1.1',
    '256.1.1.1',
    '[1.2.3.4]',
    '1.2.3.4:',
    '1.2.3.4:5:6',
  ],
  ...['2001:db8::1::2', '[2001:db8::1', '2001:db8::1]:80', '[]', ':::', '12345::', 'example.com', '1.2.3.4, 5.6.7.8'],
])('takes %j for no address', (text) => {
  expect(parseAddress(text)).toBeUndefined()
})
