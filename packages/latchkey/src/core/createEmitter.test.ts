import { expect, test } from 'vitest'
import { createEmitter } from './createEmitter.ts'

type Events = { said: [text: string, times: number]; done: [] }

test('calls listeners in order until they are removed', () => {
  const emitter = createEmitter<Events>()
  const heard: string[] = []
  const off = emitter.on('said', (text, times) => heard.push(`a ${text} ${times}`))
  emitter.on('said', (text) => heard.push(`b ${text}`))
  emitter.on('done', () => heard.push('done'))
  emitter.emit('said', 'x', 2)
  off()
  off()
  emitter.emit('said', 'y', 1)
  emitter.emit('done')
  emitter.clear()
  emitter.emit('done')
  expect(heard).toEqual(['a x 2', 'b x', 'b y', 'done'])
})

test('ignores changes to the listeners during an emit', () => {
  const emitter = createEmitter<Events>()
  const heard: string[] = []
  const off = emitter.on('done', () => {
    heard.push('first')
    off()
    emitter.on('done', () => heard.push('late'))
  })
  emitter.on('done', () => heard.push('second'))
  emitter.emit('done')
  expect(heard).toEqual(['first', 'second'])
})

test('calls the other listeners when one throws, and reports the error', async () => {
  const emitter = createEmitter<Events>()
  const heard: string[] = []
  emitter.on('done', () => {
    throw new TypeError('from a listener')
  })
  emitter.on('done', () => heard.push('second'))
  const others = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  const uncaught = new Promise<Error>((resolve) => process.once('uncaughtException', resolve))
  try {
    emitter.emit('done')
    expect(heard).toEqual(['second'])
    expect((await uncaught).message).toBe('from a listener')
  } finally {
    for (const listener of others) process.on('uncaughtException', listener)
  }
})
