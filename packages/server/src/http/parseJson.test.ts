import { expect, test } from 'vitest'
import { parseJson } from './parseJson.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

test('default', () => {
  expect(parseJson(bytes('{"a":[1,"ü"]}'))).toEqual({ a: [1, 'ü'] })
})

test('error: not JSON, or not UTF-8', () => {
  for (const value of [bytes(''), bytes('{'), bytes('undefined'), Uint8Array.of(0x22, 0xff, 0x22)])
    expect(() => parseJson(value)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID', status: 400 }))
})
