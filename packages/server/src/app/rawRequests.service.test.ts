import { connect } from 'node:net'
import { startAllRoles } from '@latchkey/testkit/startAllRoles'
import { afterAll, expect, test } from 'vitest'
import { listen } from '../platform/http/listen.ts'

/** The tests write bytes that no HTTP client sends. */

const listeners: Record<string, listen.ReturnType> = {}
const all = await startAllRoles()
for (const [name, server] of Object.entries(all.servers)) listeners[name] = await listen(server.fetch, { port: 0 })
afterAll(async () => {
  for (const listener of Object.values(listeners)) await listener.close()
  await all.close()
})

function send(name: string, lines: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(listeners[name]?.port ?? 0, '127.0.0.1')
    let received = ''
    socket.setEncoding('utf8').setTimeout(20_000, () => socket.destroy(new Error('nothing closed the connection')))
    socket.on('data', (text: string) => {
      received += text
    })
    socket.once('error', reject).once('close', () => resolve(received))
    socket.write(lines.join('\r\n'))
  })
}
const statuses = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
const head = (method: string, path: string, ...more: string[]) => [
  `${method} ${path} HTTP/1.1`,
  'Host: localhost',
  ...more,
]
const hidden = [...head('GET', '/healthz', 'Connection: close'), '', '']

test('answers requests on one connection in order', async () => {
  const first = [...head('GET', '/nothing'), '', hidden.join('\r\n')]
  expect(statuses(await send('apis', first))).toEqual([404, 200])
})

test.each<[name: string, headers: string[], body: string]>([
  ['a length and chunks', ['Content-Length: 4', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
  ['two lengths', ['Content-Length: 0', 'Content-Length: 2'], ''],
  ['a list of lengths', ['Content-Length: 0, 2'], ''],
  ['a signed length', ['Content-Length: +0'], ''],
  ['chunks that are not the last coding', ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
  ['a disguised coding', ['Transfer-Encoding : chunked'], '0\r\n\r\n'],
  ['a folded header', ['X-Note: a', ' Transfer-Encoding: chunked'], '0\r\n\r\n'],
  ['a chunk of no length', ['Transfer-Encoding: chunked'], 'zz\r\n\r\n'],
])('refuses %s, which could hide a second request', async (_, headers, body) => {
  for (const name of Object.keys(listeners)) {
    const lines = [...head('POST', '/healthz', ...headers), '', `${body}${hidden.join('\r\n')}`]
    expect([name, statuses(await send(name, lines))]).toEqual([name, [400]])
  }
})

test('returns nothing for TRACE and CONNECT', async () => {
  for (const name of Object.keys(listeners))
    for (const method of ['TRACE', 'TRACK', 'CONNECT']) {
      const lines = [...head(method, '/healthz', 'X-Secret: planted', 'Connection: close'), '', '']
      const reply = await send(name, lines)
      expect([name, method, reply.includes('planted')]).toEqual([name, method, false])
      expect([name, method, statuses(reply).filter((status) => status < 400)]).toEqual([name, method, []])
    }
})
