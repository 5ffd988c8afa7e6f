import { expect, test } from 'vitest'
import { createLogger } from './createLogger.ts'

test('hides secrets', () => {
  const lines: string[] = []
  const logger = createLogger({ destination: { write: (line: string) => void lines.push(line) } })
  logger.info({ path: '/x', apiKey: 's1', request: { authorization: 's2', body: 's3' }, link: 's4' }, 'Hello')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    msg: 'Hello',
    path: '/x',
    apiKey: '[secret]',
    request: { authorization: '[secret]', body: '[secret]' },
    link: '[secret]',
  })
  expect(lines.join()).not.toMatch(/s[1-4]"/)
})

test('stamps every line with milliseconds since the epoch', () => {
  const lines: string[] = []
  const logger = createLogger({ destination: { write: (line: string) => void lines.push(line) } })
  const before = Date.now()
  logger.info({}, 'one')
  logger.error({ time: 'mine' }, 'two')
  const after = Date.now()
  // A field named `time` comes after the logger's own time and does not replace it.
  for (const line of lines) {
    const at = Number(/^\{"level":\d+,"time":(\d+)/.exec(line)?.[1])
    expect(at >= before && at <= after).toBe(true)
  }
})
