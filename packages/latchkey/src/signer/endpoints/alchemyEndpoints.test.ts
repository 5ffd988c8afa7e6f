import { expect, test } from 'vitest'
import { alchemyEndpoints } from './alchemyEndpoints.ts'

test('default: the documented addresses', async () => {
  expect(alchemyEndpoints.signerApiUrl).toBe('https://api.g.alchemy.com')
  expect(await alchemyEndpoints.getConfig()).toEqual({
    custodyUrl: 'https://api.turnkey.com',
    authFrameUrl: 'https://auth.turnkey.com',
    exportFrameUrl: 'https://export.turnkey.com',
    importFrameUrl: 'https://import.turnkey.com',
    rootOrgId: '24c1acf5-810f-41e0-a503-d5d13fa8e830',
  })
})
