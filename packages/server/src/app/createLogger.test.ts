import { expect, test } from 'vitest'
import { createLogger } from './createLogger.ts'

test('default', () => {
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

test('param: level', () => {
  const lines: string[] = []
  const logger = createLogger({ level: 'error', destination: { write: (line: string) => void lines.push(line) } })
  logger.info({}, 'quiet')
  logger.error({}, 'loud')
  expect(lines).toHaveLength(1)
})
