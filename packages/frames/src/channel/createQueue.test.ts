import { expect, test } from 'vitest'
import { FrameError } from '../FrameError.ts'
import { createQueue, type Handle } from './createQueue.ts'
import type { Reply } from './message.ts'

function start(handle: Handle, ready: Promise<unknown> = Promise.resolve()) {
  const replies: unknown[] = []
  const enqueue = createQueue({ handle, ready })
  return {
    replies,
    send: (data: unknown, channel: 'port' | 'window' = 'port') =>
      enqueue(data, channel, (message) => replies.push(message)),
    settled: () => expect.poll(() => replies.at(-1), { timeout: 30_000 }).toMatchObject({ value: 'last' }),
  }
}
const last = { type: 'ECHO', value: 'last' }
const echo: Handle = async ({ type, value }) => (type === 'ECHO' ? { type: 'ECHOED', value } : null)

test('replies to each message once, in order', async () => {
  let first: (reply: Reply) => void = () => undefined
  const slow = new Promise<Reply>((resolve) => {
    first = resolve
  })
  const { send, replies, settled } = start(async (message) => (message.type === 'SLOW' ? slow : echo(message)))
  send({ type: 'SLOW', requestId: 'a' })
  send({ type: 'ECHO', value: 1 })
  send({ ...last, requestId: 'b' })
  first({ type: 'SLOWLY', value: 0 })
  await settled()
  expect(replies).toEqual([
    { type: 'SLOWLY', value: 0, requestId: 'a' },
    { type: 'ECHOED', value: 1 },
    { type: 'ECHOED', value: 'last', requestId: 'b' },
  ])
})

test('returns ids unchanged over either channel', async () => {
  const { send, replies, settled } = start(echo)
  const ids = ['', 'a', 0, 7, null, { a: [1] }]
  for (const channel of ['port', 'window'] as const)
    for (const requestId of ids) for (const type of ['ECHO', 'OTHER']) send({ type, value: 0, requestId }, channel)
  send(last)
  await settled()
  const twice = ids.flatMap((id) => [id, id])
  expect(replies.slice(0, -1).map((reply) => (reply as { requestId?: unknown }).requestId)).toEqual([
    ...twice,
    ...twice,
  ])
})

test('waits until the frame is ready, and replies with the reason when it fails', async () => {
  const { send, replies } = start(echo, Promise.reject(new FrameError('no keys here')))
  send({ ...last, requestId: 'a' })
  await expect
    .poll(() => replies, { timeout: 30_000 })
    .toEqual([{ type: 'ERROR', value: 'Error: no keys here', requestId: 'a' }])
})

test('refuses an unknown message that can only be meant for this frame', async () => {
  const { send, replies, settled } = start(echo)
  const refused = { type: 'ERROR', value: 'Error: the frame does not know this message' }
  send({ type: 'OTHER' }, 'window')
  send({ type: 'OTHER', requestId: 'a' }, 'window')
  send({ type: 'OTHER' }, 'port')
  send(last)
  await settled()
  expect(replies.slice(0, -1)).toEqual([{ ...refused, requestId: 'a' }, refused])
})

test('hides an unexpected failure', async () => {
  const { send, replies, settled } = start(async (message) => {
    if (message.type === 'BREAK') throw new TypeError('the secret is 42')
    return echo(message)
  })
  send({ type: 'BREAK', requestId: 'a' })
  send(last)
  await settled()
  expect(replies[0]).toEqual({ type: 'ERROR', value: 'Error: the frame failed', requestId: 'a' })
})

test('ignores data that is not a message', async () => {
  const { send, replies, settled } = start(echo)
  for (const odd of [null, undefined, 5, 'ECHO', {}, { type: 7 }, []]) send(odd)
  send(last)
  await settled()
  expect(replies).toEqual([{ type: 'ECHOED', value: 'last' }])
})
