import { beforeEach, expect, test } from 'vitest'
import { BaseError } from '../../../core/errors/BaseError.ts'
import type { Frame } from '../../../web/platform.ts'
import { signedOutError } from '../../errors/authErrors.ts'
import { createFrameSlot } from './createAuthFrame.ts'

let inPage: string[]
let made: number
beforeEach(() => {
  inPage = []
  made = 0
})

function frame(options: { isBroken?: boolean } = {}): Frame {
  made += 1
  const name = `frame ${made}`
  inPage.push(name)
  return {
    url: name,
    isAlive: () => inPage.includes(name),
    async publicKey() {
      if (options.isBroken) throw new BaseError('silent', { code: 'FRAME_TIMEOUT' })
      return '04'
    },
    request: async () => undefined,
    close() {
      inPage = inPage.filter((other) => other !== name)
    },
  }
}

test('shares one frame between callers', async () => {
  const slot = createFrameSlot(async () => frame())
  const [first, second] = await Promise.all([slot.open(), slot.open()])
  expect([first === second, await slot.open(), inPage]).toEqual([true, first, ['frame 1']])
})

test('reopens a frame that was removed or failed to open', async () => {
  let isBroken = true
  const slot = createFrameSlot(async () => frame({ isBroken }))
  await expect(slot.open()).rejects.toMatchObject({ code: 'FRAME_TIMEOUT' })
  expect(inPage).toEqual([])
  isBroken = false
  await slot.open()
  inPage = []
  expect((await slot.open()).url).toBe('frame 3')
  expect(inPage).toEqual(['frame 3'])
})

test('waits with the next frame until the earlier one is closed, even if closing fails', async () => {
  const slot = createFrameSlot(async () => frame())
  await slot.open()
  let finish = () => {}
  const said = new Promise<void>((_, reject) => {
    finish = () => reject(new BaseError('silent', { code: 'FRAME_TIMEOUT' }))
  })
  const closing = slot.close(() => said)
  const next = slot.open()
  await new Promise((resolve) => setImmediate(resolve))
  expect(inPage).toEqual(['frame 1'])
  finish()
  await closing
  expect((await next).url).toBe('frame 2')
  expect(inPage).toEqual(['frame 2'])
})

test('opens no frame that was closed while opening', async () => {
  let go = () => {}
  const waiting = new Promise<void>((resolve) => {
    go = resolve
  })
  const slot = createFrameSlot(async (isWanted) => {
    await waiting
    if (!isWanted()) throw signedOutError()
    return frame()
  })
  const opening = slot.open()
  const outcome = expect(opening).rejects.toMatchObject({ code: 'ABORTED' })
  await slot.close(() => Promise.reject(new TypeError('nobody to say farewell to')))
  go()
  await outcome
  expect(made).toBe(0)
})
