import { afterEach, beforeEach, expect, test } from 'vitest'
import { readLink, reloadAt } from './readLink.ts'

// Only these parts of `window` are used.
type Fake = {
  location: { href: string; reload(): void }
  history: { state: unknown; replaceState(s: unknown, t: string, u: URL | string): void }
}
const scope = globalThis as unknown as { window?: Fake }
let replaced: { state: unknown; url: string }[]
let reloads: number

beforeEach(() => {
  replaced = []
  reloads = 0
})
afterEach(() => {
  delete scope.window
})

function at(href: string): ReturnType<typeof readLink> {
  scope.window = {
    location: { href, reload: () => void reloads++ },
    history: { state: { app: 1 }, replaceState: (state, _title, url) => replaced.push({ state, url: String(url) }) },
  }
  return readLink()
}

test('reads and removes its three parameters', () => {
  expect(at('https://app.test/in?aa-is-signup=true&bundle=abc&orgId=o1')).toEqual({
    bundle: 'abc',
    orgId: 'o1',
    isSignup: true,
    isOauth: false,
    address: 'https://app.test/in?aa-is-signup=true&bundle=abc&orgId=o1',
  })
  expect(replaced).toEqual([{ state: { app: 1 }, url: 'https://app.test/in' }])
})

test("reads and removes an identity provider's answer", () => {
  expect(at('https://app.test/in?a=%20b&latchkey-oauth=state%3Ds%26code%3Dc#kept')).toMatchObject({
    bundle: 'state=s&code=c',
    isOauth: true,
  })
  expect(replaced[0]?.url).toBe('https://app.test/in?a=%20b#kept')
})

test('keeps the rest of the URL byte for byte', () => {
  expect(at('https://app.test/in?a=%20b&bundle=abc&flag&c=d+e#bundle=kept')).toMatchObject({ bundle: 'abc' })
  expect(replaced[0]?.url).toBe('https://app.test/in?a=%20b&flag&c=d+e#bundle=kept')
})

test('ignores an organization without a bundle', () => {
  expect(at('https://app.test/?orgId=mine')).toBeNull()
  expect(at('https://app.test/?orgId=mine&aa-is-signup=true')).toMatchObject({ isSignup: true, orgId: undefined })
  expect(replaced.map(({ url }) => url)).toEqual(['https://app.test/?orgId=mine'])
})

test('changes nothing without its parameters', () => {
  expect(at('https://app.test/?xbundle=1')).toBeNull()
  expect(at('https://app.test/?bundle=')).toBeNull()
  expect(replaced).toEqual([])
})

test('reloads at the address of the link, or where the page is', () => {
  const address = 'https://app.test/in?a=%20b&bundle=a%2Bb&orgId=o1&c=d+e#kept'
  const link = at(address)
  reloadAt(link?.address)
  expect(replaced.at(-1)).toEqual({ state: { app: 1 }, url: address })
  reloadAt(undefined)
  expect([reloads, replaced.length]).toEqual([2, 2])
})

test('reads only the literal true as a sign-up', () => {
  expect(at('https://app.test/?bundle=b&aa-is-signup=1')).toMatchObject({ isSignup: false })
})
