import { expect, test } from 'vitest'
import { readBody } from './readBody.ts'

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

test('default', async () => {
  expect(new TextDecoder().decode(await readBody(post('{"a":1} ')))).toBe('{"a":1} ')
  expect(new TextDecoder().decode(await readBody(post(stream('one ', 'two'))))).toBe('one two')
})

test('behavior: no body is an empty one', async () => {
  expect(await readBody(new Request('http://localhost/'))).toEqual(new Uint8Array())
})

test('param: maxBytes', async () => {
  const options = { maxBytes: 4 }
  expect(await readBody(post('1234'), options)).toHaveLength(4)
  await expect(readBody(post('12345'), options)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE', status: 413 })
  await expect(readBody(post(stream('123', '45')), options)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' })
})

test('behavior: a body of a told length is read at once', async () => {
  const told = (body: string, length: string, encoding?: string) => {
    const headers = { 'content-length': length, ...(encoding && { 'content-encoding': encoding }) }
    return new Request('http://localhost/', { method: 'POST', body, headers })
  }
  const options = { maxBytes: 4 }
  expect(await readBody(told('1234', '4'), options)).toEqual(new TextEncoder().encode('1234'))
  await expect(readBody(told('12345', '5'), options)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE', status: 413 })
  // What is told of a packed body says nothing about the one that is read.
  await expect(readBody(told('12345', '4', 'gzip'), options)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' })
  await expect(readBody(told('12345', 'none'), options)).rejects.toMatchObject({ code: 'BODY_TOO_LARGE' })
})

test('behavior: an endless body is not read on', async () => {
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

test('error: a body that breaks off', async () => {
  const broken = new ReadableStream({
    pull(controller) {
      controller.error(new TypeError('gone'))
    },
  })
  await expect(readBody(post(broken))).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
})
