import { connect } from 'node:net'
import { createTransport } from 'nodemailer'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startInbox } from './startInbox.ts'

const pageUrl = 'http://localhost:4106/inbox'
let inbox: startInbox.ReturnType

beforeEach(async () => {
  inbox = await startInbox({ smtpPort: 0, httpPort: 0, pageUrl, limit: 3 })
})
afterEach(() => inbox.close())

async function send(mail: { to?: string; subject?: string; html?: string; text?: string }): Promise<void> {
  const transport = createTransport({
    host: '127.0.0.1',
    port: inbox.smtpPort,
    secure: false,
    connectionTimeout: 60_000,
  })
  try {
    await transport.sendMail({ from: 'Latchkey <no-reply@latchkey.localhost>', to: 'ada@example.com', ...mail })
  } finally {
    transport.close()
  }
}

async function get(path: string, headers: Record<string, string> = {}) {
  const { port } = new URL(inbox.url)
  const lines = { host: `localhost:${port}`, connection: 'close', ...headers }
  const { method = 'GET', ...rest } = lines as Record<string, string>
  const head = Object.entries(rest).map(([name, value]) => `${name}: ${value}\r\n`)
  return new Promise<{ status: number; headers: string; body: string }>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () =>
      socket.write(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n`),
    )
    let text = ''
    socket.setTimeout(60_000, () => socket.destroy())
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8')
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [top = '', ...body] = text.split('\r\n\r\n')
      resolve({ status: Number(top.split(' ')[1]), headers: top.toLowerCase(), body: body.join('\r\n\r\n') })
    })
  })
}

test('stores a mail with its links and its code', async () => {
  await send({
    subject: 'Sign in to Ünïcode',
    html: '<p><a href="http://localhost:4100/?bundle=abc&amp;orgId=1">Sign in</a></p>',
    text: 'http://localhost:4100/?bundle=abc&orgId=1 and https://example.com/x.\n\n    012345\n',
  })
  const response = await fetch(`${inbox.url}/api/messages?to=ADA@example.com`)
  const messages = (await response.json()) as Record<string, unknown>[]
  expect(messages).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      to: 'ada@example.com',
      from: '"Latchkey" <no-reply@latchkey.localhost>',
      subject: 'Sign in to Ünïcode',
      html: expect.stringContaining('Sign in</a>'),
      text: expect.stringContaining('orgId=1'),
      links: ['http://localhost:4100/?bundle=abc&orgId=1', 'https://example.com/x.'],
      code: '012345',
      receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
    },
  ])
  expect(response.headers.get('cache-control')).toBe('no-store')
})

test('reads the text and the code of a mail that is HTML alone', async () => {
  await send({ html: '<style>p { color: red }</style><p>Your code &amp; more:</p><p><b>012345</b></p>' })
  expect(inbox.messages()[0]).toMatchObject({ text: 'Your code & more:\n012345', code: '012345' })
})

test('returns the newest mails first, within a limit and by exact address', async () => {
  for (const subject of ['1', '2', '3', '4']) await send({ subject })
  await send({ subject: '5', to: 'bob@example.com' })
  expect(inbox.messages().map(({ subject }) => subject)).toEqual(['5', '4', '3'])
  expect(inbox.messages({ to: 'bob@example.com' }).map(({ subject }) => subject)).toEqual(['5'])
  expect(inbox.messages({ to: 'ob@example.com' })).toEqual([])
  await send({ subject: '6', to: 'eve@bücher.example' })
  for (const to of ['Eve@bücher.example', 'eve@xn--bcher-kva.example'])
    expect(inbox.messages({ to }).map(({ subject }) => subject)).toEqual(['6'])
})

test('deletes all mails', async () => {
  await send({})
  expect((await fetch(`${inbox.url}/api/messages`, { method: 'DELETE' })).status).toBe(204)
  expect(inbox.messages()).toEqual([])
})

test('refuses foreign origins and shares nothing with them', async () => {
  await send({ subject: 'secret' })
  for (const origin of ['https://evil.example', 'http://localhost:1', 'null']) {
    const answer = await get('/api/messages', { origin })
    expect([origin, answer.status]).toEqual([origin, 403])
    expect(answer.body).not.toContain('secret')
    expect(answer.headers).not.toContain('access-control')
  }
  const refused = await get('/api/messages', { method: 'DELETE', origin: 'https://evil.example' })
  expect(refused.status).toBe(403)
  expect(inbox.messages()).toHaveLength(1)
  const own = await get('/api/messages', { origin: inbox.url })
  expect(own.status).toBe(200)
})

test('refuses a host name that is not a loopback name', async () => {
  await send({ subject: 'secret' })
  const answer = await get('/api/messages', { host: 'evil.example' })
  expect(answer.status).toBe(421)
  expect(answer.body).not.toContain('secret')
})

test('sandboxes a mail and redirects to the page that shows it', async () => {
  await send({ html: '<script>alert(1)</script>hello' })
  const page = await get('/')
  expect(page.status).toBe(302)
  expect(page.headers).toContain(`location: ${pageUrl}`)
  const mail = await get(`/api/messages/${inbox.messages()[0]?.id}/html`)
  expect(mail.headers).toContain('content-security-policy: sandbox allow-popups')
  expect(mail.body).toContain('hello')
})

test('simulates an outage of the mail server', async () => {
  await inbox.stopSmtp()
  await expect(send({})).rejects.toMatchObject({ code: 'ESOCKET' })
  await inbox.startSmtp()
  await send({ subject: 'back' })
  expect(inbox.messages().map(({ subject }) => subject)).toEqual(['back'])
})

test('refuses a mail that is too large', async () => {
  await expect(send({ text: 'x'.repeat(1_100_000) })).rejects.toMatchObject({ responseCode: 552 })
  expect(inbox.messages()).toEqual([])
})

test('returns 404 for an unknown mail', async () => {
  const response = await fetch(`${inbox.url}/api/messages/nope`)
  expect(response.status).toBe(404)
  expect(await response.json()).toMatchObject({ code: 'NOT_FOUND' })
})

test('refuses a taken port', async () => {
  await expect(startInbox({ smtpPort: inbox.smtpPort, httpPort: 0, pageUrl })).rejects.toMatchObject({
    code: 'PORT_TAKEN',
  })
})
