import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepLink, readLink } from './readLink.ts'

type Fake = {
  location: { href: string }
  history: { state: unknown; replaceState(s: unknown, t: string, u: URL | string): void }
  sessionStorage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
  addEventListener(name: string, listener: () => void): void
  removeEventListener(name: string, listener: () => void): void
}
const scope = globalThis as unknown as { window?: Fake }
let replaced: { state: unknown; url: string }[]
let kept: Map<string, string>
let leaving: Set<() => void>

beforeEach(() => {
  replaced = []
  kept = new Map()
  leaving = new Set()
})
afterEach(() => {
  delete scope.window
})

function at(href: string): ReturnType<typeof readLink> {
  scope.window = {
    location: { href },
    history: { state: { app: 1 }, replaceState: (state, _title, url) => replaced.push({ state, url: String(url) }) },
    sessionStorage: {
      getItem: (key) => kept.get(key) ?? null,
      setItem: (key, value) => void kept.set(key, value),
      removeItem: (key) => void kept.delete(key),
    },
    addEventListener: (_name, listener) => void leaving.add(listener),
    removeEventListener: (_name, listener) => void leaving.delete(listener),
  }
  return readLink()
}

function leave(): void {
  for (const listener of leaving) listener()
}

test('reads and removes its three parameters', () => {
  expect(at('https://app.test/in?aa-is-signup=true&bundle=abc&orgId=o1')).toEqual({
    bundle: 'abc',
    orgId: 'o1',
    isSignup: true,
    isOauth: false,
    query: '?aa-is-signup=true&bundle=abc&orgId=o1',
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

test('finds an unused link once more after a reload', () => {
  const link = at('https://app.test/in?a=%20b&bundle=a%2Bb&orgId=o1')
  expect(link?.bundle).toBe('a+b')
  const stop = keepLink(() => link)
  leave()
  expect(at('https://app.test/in?a=%20b')).toEqual(link)
  expect(at('https://app.test/in?a=%20b')).toBeNull()
  leave()
  stop()
  expect([kept.size, leaving.size]).toEqual([1, 0])
})

test('forgets a kept link once it was used, and prefers the one of the address', () => {
  let link = at('https://app.test/in?bundle=old&orgId=o1')
  keepLink(() => link)
  leave()
  expect(at('https://app.test/in?bundle=new&orgId=o1')?.bundle).toBe('new')
  leave()
  link = null
  leave()
  expect(at('https://app.test/in')).toBeNull()
})

test('reads only the literal true as a sign-up', () => {
  expect(at('https://app.test/?bundle=b&aa-is-signup=1')).toMatchObject({ isSignup: false })
})
