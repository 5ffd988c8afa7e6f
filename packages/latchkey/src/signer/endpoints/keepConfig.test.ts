import { beforeEach, expect, test } from 'vitest'
import { memoryStorage } from '../../core/storage/memoryStorage.ts'
import type { StoragePort } from '../../core/storage/StoragePort.ts'
import { keepConfig } from './keepConfig.ts'

const config = {
  custodyUrl: 'http://localhost:4102',
  authFrameUrl: 'http://localhost:4104',
  exportFrameUrl: 'http://localhost:4105',
  importFrameUrl: 'http://localhost:4112',
  rootOrgId: 'root',
}
let storage: StoragePort
let asked: number
let time: number
beforeEach(() => {
  storage = memoryStorage()
  asked = 0
  time = 1_000
})

/** As after a reload: only the storage stays. */
const open = (signerApiUrl = 'http://localhost:4101') =>
  keepConfig({
    endpoints: {
      signerApiUrl,
      async getConfig() {
        asked += 1
        return config
      },
    },
    storage,
    key: 'k',
    now: () => time,
  })

test('default: a reload does not ask again within ten minutes', async () => {
  expect(await open().getConfig()).toEqual(config)
  time += 599_999
  expect(await open().getConfig()).toEqual(config)
  expect(asked).toBe(1)
  time += 1
  await open().getConfig()
  expect(asked).toBe(2)
})

test('behavior: another server is asked', async () => {
  await open().getConfig()
  await open('https://other.example.com').getConfig()
  expect(asked).toBe(2)
})

test('error: what was tampered with is asked for again', async () => {
  const kept = { signerApiUrl: 'http://localhost:4101', until: 9e15 }
  for (const text of [
    '{',
    'null',
    '5',
    JSON.stringify({ ...kept, config: { ...config, custodyUrl: 'javascript:0' } }),
  ]) {
    storage.setItem('k', text)
    expect(await open().getConfig()).toEqual(config)
  }
  expect(asked).toBe(4)
})
