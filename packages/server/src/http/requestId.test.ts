import { expect, test } from 'vitest'
import { requestId } from './requestId.ts'

const request = (id?: string) => new Request('http://localhost/', { headers: id ? { 'x-request-id': id } : {} })

test('default', () => {
  const one = request()
  expect(requestId(one)).toMatch(/^[0-9a-f-]{36}$/)
  expect(requestId(one)).toBe(requestId(one))
  expect(requestId(request())).not.toBe(requestId(one))
})

test('behavior: an id that came along is kept when it is plain', () => {
  expect(requestId(request('abc-123_DEF'))).toBe('abc-123_DEF')
  for (const id of ['short', 'x'.repeat(65), 'with space', '<script>aaaa']) expect(requestId(request(id))).not.toBe(id)
})
