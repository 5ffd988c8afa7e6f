import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseJson, readBody, readJson, validate } from './requestBody.ts'

const schema = z.strictObject({ list: z.array(z.strictObject({ name: z.string() })) })
const bytes = (text: string) => new TextEncoder().encode(text)
const post = (body: string | ReadableStream) =>
  new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit)
function stream(...chunks: string[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk))
      controller.close()
    },
  })
}

test('reads valid JSON and refuses other bodies', async () => {
  expect(await readJson(post('{"list":[{"name":"a"}]}'), schema)).toEqual({ list: [{ name: 'a' }] })
  await expect(readJson(post('{"list":1}'), schema)).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
  await expect(readJson(post(' '.repeat(65_537)), schema)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' })
})

test('returns the exact bytes of a body', async () => {
  expect(new TextDecoder().decode(await readBody(post('{"a":1} ')))).toBe('{"a":1} ')
  expect(new TextDecoder().decode(await readBody(post(stream('one ', 'two'))))).toBe('one two')
})

test('limits a body to maxBytes', async () => {
  const options = { maxBytes: 4 }
  expect(await readBody(post('1234'), options)).toHaveLength(4)
  await expect(readBody(post('12345'), options)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE', status: 413 })
  await expect(readBody(post(stream('123', '45')), options)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' })
})

test('limits a body with a Content-Length', async () => {
  const sized = (body: string, length: string, encoding?: string) => {
    const headers = { 'content-length': length, ...(encoding && { 'content-encoding': encoding }) }
    return new Request('http://localhost/', { method: 'POST', body, headers })
  }
  const options = { maxBytes: 4 }
  expect(await readBody(sized('1234', '4'), options)).toEqual(new TextEncoder().encode('1234'))
  await expect(readBody(sized('12345', '5'), options)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE', status: 413 })
  // The length of a compressed body is not the length that is read.
  await expect(readBody(sized('12345', '4', 'gzip'), options)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' })
  await expect(readBody(sized('12345', 'none'), options)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' })
})

test('stops reading an endless body', async () => {
  let pulled = 0
  const endless = new ReadableStream({
    pull(controller) {
      pulled++
      controller.enqueue(new Uint8Array(1000))
    },
  })
  await expect(readBody(post(endless), { maxBytes: 5000 })).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' })
  expect(pulled).toBeLessThan(20)
})

test('refuses a body that breaks off', async () => {
  const broken = new ReadableStream({
    pull(controller) {
      controller.error(new TypeError('reset'))
    },
  })
  await expect(readBody(post(broken))).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
})

test('refuses other texts than JSON in UTF-8', () => {
  for (const value of [bytes(''), bytes('{'), bytes('undefined'), Uint8Array.of(0x22, 0xff, 0x22)])
    expect(() => parseJson(value)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID', status: 400 }))
})

test('names the invalid fields', () => {
  const description = 'Invalid input: expected string, received number'
  const violations = { fieldViolations: [{ field: 'list.0.name', description }] }
  expect(() => validate(schema, { list: [{ name: 1 }] }, 'order')).toThrow(
    expect.objectContaining({
      code: 'REQUEST_INVALID',
      message: `The order is not valid. list.0.name: ${description}`,
      details: [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', ...violations }],
    }),
  )
})
