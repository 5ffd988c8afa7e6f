import { expect, test } from 'vitest'
import { describeBrowser } from '../platform/http/describeBrowser.ts'
import { buildLinkTemplate, chooseRedirectUrl } from './createEmailAuth.ts'

const orgId = '24c1acf5-810f-41e0-a503-d5d13fa8e830'

test('appends bundle and organization to the registered URL', () => {
  expect(buildLinkTemplate({ redirectUrl: 'https://app.example/', orgId })).toBe(
    `https://app.example/?bundle=%s&orgId=${orgId}`,
  )
})

test('adds redirectParams', () => {
  const redirectParams = 'aa-is-signup=true&callback=%2Fhome+page%3Fx%3D1'
  expect(buildLinkTemplate({ redirectUrl: 'https://app.example/in?a=1', redirectParams, orgId })).toBe(
    `https://app.example/in?a=1&aa-is-signup=true&callback=%2Fhome+page%3Fx%3D1&bundle=%s&orgId=${orgId}`,
  )
})

test.each([
  ['bundle', 'bundle=stolen'],
  ['orgId', 'orgId=other&ORGID=other&%6frgId=other'],
  ['host', 'host=evil.example&HOST=evil.example'],
  ['a second path', '//evil.example'],
  ['a fragment', '#//evil.example'],
  ['a user part', '@evil.example/?'],
  ['a second place for the bundle', 'x=%s&%s=1&y=%25s'],
  ['a line break', 'x=%0d%0aLocation:%20https://evil.example'],
])('keeps redirectParams from setting %s', (_name, redirectParams) => {
  const template = buildLinkTemplate({ redirectUrl: 'https://app.example/in', redirectParams, orgId })
  const link = new URL(template.replace('%s', 'BUNDLE'))
  expect(template.split('%s')).toHaveLength(2)
  expect(template).toMatch(/^https:\/\/app\.example\/in\?[\x21-\x7e]+$/)
  expect({ origin: link.origin, path: link.pathname, hash: link.hash, user: link.username }).toEqual({
    origin: 'https://app.example',
    path: '/in',
    hash: '',
    user: '',
  })
  const names = [...link.searchParams.keys()].map((name) => name.toLowerCase())
  expect(names.filter((name) => ['bundle', 'orgid', 'host'].includes(name))).toEqual(['bundle', 'orgid'])
  expect(link.searchParams.getAll('bundle')).toEqual(['BUNDLE'])
  expect(link.searchParams.getAll('orgId')).toEqual([orgId])
})

const project = { redirectUrls: ['https://app.example/', 'https://beta.example/in'], allowedOrigins: [] }

test('chooses the redirect URL of the exact origin, or the first', () => {
  expect(chooseRedirectUrl(project, 'https://beta.example')).toBe('https://beta.example/in')
  for (const origin of [undefined, 'https://evil.example', 'https://beta.example.evil'])
    expect(chooseRedirectUrl(project, origin)).toBe('https://app.example/')
})

test('falls back to the root page of an allowed origin', () => {
  const pages = { redirectUrls: [], allowedOrigins: ['https://app.example', 'https://beta.example'] }
  expect(chooseRedirectUrl(pages, 'https://beta.example')).toBe('https://beta.example/')
  expect(chooseRedirectUrl(pages, 'https://evil.example')).toBe('https://app.example/')
  expect(chooseRedirectUrl({ redirectUrls: [], allowedOrigins: [] }, undefined)).toBeUndefined()
})

const chrome = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36'
const phone = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'

test.each([
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chrome}`, 'Chrome on macOS'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/140.0.0.0`, 'Edge on Windows'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${chrome.replace('Safari', 'Mobile Safari')}`, 'Chrome on Android'],
  [`${phone} Version/18.5 Mobile/15E148 Safari/604.1`, 'Safari on iPhone'],
  [`${phone} CriOS/140.0.0.0 Mobile/15E148 Safari/604.1`, 'Chrome on iPhone'],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  ['node', undefined],
  ['', undefined],
  ['Linux', 'Linux'],
])('describes %s as %s', (userAgent, words) => {
  expect(describeBrowser(userAgent)).toBe(words)
})

test('shows nothing of the header itself', () => {
  expect(describeBrowser('<b>Chrome/1</b> http://evil.example Windows')).toBe('Chrome on Windows')
  expect(describeBrowser(undefined)).toBeUndefined()
})
