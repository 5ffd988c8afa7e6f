import { expect, test } from 'vitest'
import { crossSiteHosts, devnetUrls, sameSiteHosts } from './devnetHosts.ts'
import { devnetPorts } from './devnetPorts.ts'

const ports = devnetPorts(4100)
const urls = (hosts?: Parameters<typeof devnetUrls>[1]) => {
  const at = devnetUrls(ports, hosts)
  return [at('wallet'), at('authFrame'), at('exportFrame'), at('importFrame'), at('custody')]
}

test('uses one host by default', () => {
  expect(urls()).toEqual([4100, 4104, 4105, 4112, 4102].map((port) => `http://localhost:${port}`))
})

test('separates the hosts of app and keys', () => {
  expect(urls(crossSiteHosts)).toEqual([
    'http://app.localhost:4100',
    'http://keys.localhost:4104',
    'http://keys.localhost:4105',
    'http://keys.localhost:4112',
    'http://localhost:4102',
  ])
  expect(urls(sameSiteHosts).slice(0, 2)).toEqual(['http://app.localhost:4100', 'http://keys.app.localhost:4104'])
})

test.each(['app.example', 'localhost.example', 'app.localhost:80', '-.localhost', 'App.localhost', ''])(
  'refuses a host that is not this machine (%s)',
  (host) => {
    expect(() => urls({ frames: host })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }))
  },
)
