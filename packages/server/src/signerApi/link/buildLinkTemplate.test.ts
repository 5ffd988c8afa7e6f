import { expect, test } from 'vitest'
import { buildLinkTemplate } from './buildLinkTemplate.ts'

const orgId = '24c1acf5-810f-41e0-a503-d5d13fa8e830'

test('default', () => {
  expect(buildLinkTemplate({ redirectUrl: 'https://app.example/', orgId })).toBe(
    `https://app.example/?bundle=%s&orgId=${orgId}`,
  )
})

test('param: redirectParams', () => {
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
])('behavior: redirectParams cannot set %s', (_name, redirectParams) => {
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
