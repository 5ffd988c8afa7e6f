import { frameKey, usualFrame } from '@latchkey/testkit/signer/startScript'
import { expect, test } from 'vitest'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { memoryStorage } from '../../../core/storage/memoryStorage.ts'
import type { Frame } from '../../../web/platform.ts'
import { createAuthFrame } from './createAuthFrame.ts'

const url = 'https://frame.test/'
const never = new AbortController().signal

/** Opens an auth frame that the page can remove, even during a request. */
function open() {
  const told: string[][] = []
  let shown = { isLost: true }
  let losesNext = false
  const openFrame = (): Frame => {
    const mine = { isLost: false }
    const said: string[] = []
    told.push(said)
    shown = mine
    return {
      url,
      isAlive: () => !mine.isLost,
      publicKey: async () => frameKey,
      async request(type, value) {
        said.push(`${type} ${value}`)
        mine.isLost ||= losesNext
        losesNext = false
        if (mine.isLost) throw new BaseError('gone', { code: 'FRAME_LOST' })
        return usualFrame(type, value)
      },
      close() {
        mine.isLost = true
      },
    }
  }
  const config = { custodyUrl: url, authFrameUrl: url, exportFrameUrl: url, importFrameUrl: url, rootOrgId: 'root' }
  const frame = createAuthFrame({
    platform: {
      openFrame,
      readLink: () => null,
      storage: () => memoryStorage(),
      onStorageChange: () => () => undefined,
    },
    endpoints: { signerApiUrl: url, getConfig: async () => config },
  })
  return {
    frame,
    /** Messages received by each frame, in the order in which the frames were opened. */
    told,
    lose: () => {
      shown.isLost = true
    },
    loseNext: () => {
      losesNext = true
    },
  }
}

test('replaces a frame removed while stamping, and injects the same bundle', async () => {
  const { frame, told, loseNext } = open()
  await frame.inject('first', never)
  loseNext()
  await frame.stamp('body')
  expect(told).toEqual([
    ['INJECT_CREDENTIAL_BUNDLE first', 'STAMP_REQUEST body'],
    ['INJECT_CREDENTIAL_BUNDLE first', 'STAMP_REQUEST body'],
  ])
})

test('injects the bundle once for many stamps', async () => {
  const { frame, told, lose } = open()
  await frame.inject('first', never)
  lose()
  await Promise.all([frame.stamp('one'), frame.stamp('two')])
  expect(told[1]).toEqual(['INJECT_CREDENTIAL_BUNDLE first', 'STAMP_REQUEST one', 'STAMP_REQUEST two'])
})

test('never replaces a newer bundle by an older one', async () => {
  const { frame, told, lose } = open()
  await frame.inject('first', never)
  lose()
  await Promise.all([frame.inject('second', never), frame.stamp('body')])
  expect(told[1]).toEqual(['INJECT_CREDENTIAL_BUNDLE second', 'STAMP_REQUEST body'])
})
