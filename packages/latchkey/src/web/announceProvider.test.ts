import { afterEach, expect, test, vi } from 'vitest'
import { announceProvider } from './announceProvider.ts'

const provider = { request: async () => null }
const info = { name: 'Latchkey', rdns: 'com.example.latchkey', icon: 'data:image/svg+xml,<svg/>' } as const

type Detail = { info: { uuid: string; name: string }; provider: unknown }

function openWindow() {
  vi.stubGlobal('window', new EventTarget())
  const seen: Detail[] = []
  window.addEventListener('eip6963:announceProvider', (event) => seen.push((event as CustomEvent<Detail>).detail))
  return { seen, request: () => window.dispatchEvent(new Event('eip6963:requestProvider')) }
}
afterEach(() => vi.unstubAllGlobals())

test('announces at once and on request, under one fixed id', () => {
  const { seen, request } = openWindow()
  const stop = announceProvider({ provider, info })
  request()
  stop()
  request()
  expect(seen).toHaveLength(2)
  expect(seen[0]).toMatchObject({ info, provider })
  expect(seen[1]?.info.uuid).toBe(seen[0]?.info.uuid)
  expect(Object.isFrozen(seen[0]) && Object.isFrozen(seen[0]?.info)).toBe(true)
})

test.each([
  ['without a name', { name: ' ' }],
  ['with an image elsewhere', { icon: 'https://example.com/a.png' as 'data:image/png' }],
  ['without a domain', { rdns: 'wallet' }],
  ['with another uuid', { uuid: '00000000-0000-1000-8000-000000000000' }],
])('refuses info %s', (_, change) => {
  openWindow()
  expect(() => announceProvider({ provider, info: { ...info, ...change } })).toThrow(
    expect.objectContaining({ code: 'ARGUMENT_INVALID' }),
  )
})

test('refuses to run on a server', () => {
  expect(() => announceProvider({ provider, info })).toThrow(expect.objectContaining({ code: 'CLIENT_ONLY' }))
})
