import { type AddressInfo, createServer, type Socket } from 'node:net'
import { startTestSmtp } from '@latchkey/testkit/smtp'
import { afterAll, describe, expect, test } from 'vitest'
import type { MailPayload } from '../keys/mailSeal.ts'
import { createMailer, explainCertificate } from './createMailer.ts'

const payload: MailPayload = {
  to: 'a@b.example',
  appName: 'App',
  content: { kind: 'sign-in', link: 'https://app.example/?bundle=x', expiresAtMs: 900_000 },
}
const mail = { id: '0f4dd574-f8f5-4619-9f16-7cd9fdc45f92', payload, now: 0 }

/** Greets, then answers every command with endless continuation lines. */
const dripping = createServer((socket) => {
  sockets.add(socket)
  socket.on('error', () => undefined)
  socket.write('220 slow.example ESMTP\r\n')
  socket.once('data', () => {
    const timer = setInterval(() => socket.write('250-slow.example\r\n'), 20)
    socket.once('close', () => clearInterval(timer))
  })
})
const sockets = new Set<Socket>()
const smtp = await startTestSmtp()
await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', () => resolve()))
afterAll(async () => {
  await smtp.close()
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => dripping.close(resolve))
})

test('sends a mail to its recipient', async () => {
  const mailer = createMailer({ smtpUrl: smtp.url, from: 'App <no-reply@app.example>' })
  await mailer.send(mail)
  mailer.close()
  expect(smtp.mails.map(({ recipients }) => recipients)).toEqual([['a@b.example']])
  expect(smtp.mails[0]?.parsed.messageId).toBe(`<${mail.id}@app.example>`)
})

test('sends the headers of an automatic mail without naming software', async () => {
  const mailer = createMailer({ smtpUrl: smtp.url, from: 'App <no-reply@app.example>' })
  await mailer.send(mail)
  mailer.close()
  const { headers = [], date = '' } = smtp.mails.at(-1)?.parsed ?? {}
  const names = ['auto-submitted', 'content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to']
  expect(headers.map(({ key }) => key).sort()).toEqual([...names, 'x-auto-response-suppress'])
  expect(headers.find(({ key }) => key === 'auto-submitted')?.value).toBe('auto-generated')
  expect(Math.abs(Date.now() - Date.parse(date))).toBeLessThan(600_000)
  expect(smtp.mails.at(-1)?.raw).not.toMatch(/nodemailer/i)
})

test('sends to and from a domain in any script', async () => {
  const mailer = createMailer({ smtpUrl: smtp.url, from: 'Example <no-reply@bücher.example>' })
  await mailer.send({ ...mail, payload: { ...payload, to: 'me@bücher.example' } })
  mailer.close()
  const { raw, parsed } = smtp.mails.at(-1) ?? {}
  expect(raw).toContain('To: me@xn--bcher-kva.example')
  expect(raw).toContain('From: Example <no-reply@xn--bcher-kva.example>')
  expect(parsed?.messageId).toBe(`<${mail.id}@xn--bcher-kva.example>`)
})

describe('TLS', () => {
  const send = async (smtpUrl: string) => {
    const mailer = createMailer({ smtpUrl, from: 'App <no-reply@app.example>' })
    try {
      await mailer.send(mail)
    } finally {
      mailer.close()
    }
  }
  const elsewhere = (url: string) => url.replace('127.0.0.1', '0.0.0.0')

  test('requires a trusted certificate', async () => {
    const secure = await startTestSmtp(0, { tls: true })
    await expect(send(secure.url)).rejects.toMatchObject({ code: 'ESOCKET' })
    const error = await send(secure.url).catch((cause: unknown) => cause)
    expect(explainCertificate(error, secure.url)).toBe(
      'has a certificate that is not trusted (certificate has expired), so no email is sent: add ?ignoreTLS=true to LATCHKEY_SMTP_URL, since the email does not leave this machine',
    )
    expect(explainCertificate(error, 'smtp://mail.example')).toContain('from an authority that this machine trusts')
    expect(explainCertificate(new TypeError('x'), secure.url)).toBeUndefined()
    await send(`${secure.url}?ignoreTLS=true`)
    await send(`${elsewhere(secure.url)}?tls.rejectUnauthorized=false`)
    expect(secure.mails.map(({ isEncrypted }) => isEncrypted)).toEqual([false, true])
    await secure.close()
  })

  test('requires TLS for a remote server unless the URL disables it', async () => {
    const before = smtp.mails.length
    await expect(send(elsewhere(smtp.url))).rejects.toMatchObject({ code: 'ETLS' })
    expect(smtp.mails).toHaveLength(before)
    await send(`${elsewhere(smtp.url)}?requireTLS=false`)
    expect(smtp.mails.at(-1)?.isEncrypted).toBe(false)
  })
})

test('sets sender name and reply address without header injection', async () => {
  const mailer = createMailer({ smtpUrl: smtp.url, from: 'App <no-reply@app.example>' })
  await mailer.send({ ...mail, payload: { ...payload, senderName: 'Shop, "Ünï" <x@y>', replyTo: 'help@shop.example' } })
  const tricky = { ...mail, payload: { ...payload, senderName: 'Shop\r\nBcc: thief@evil.example' } }
  await expect(mailer.send(tricky)).rejects.toMatchObject({ code: 'REQUEST_INVALID' })
  mailer.close()
  const named = smtp.mails.at(-1)
  expect(named?.parsed.from).toEqual({ name: 'Shop, "Ünï" <x@y>', address: 'no-reply@app.example' })
  expect(named?.parsed.replyTo).toEqual([{ name: '', address: 'help@shop.example' }])
})

test('sends to one recipient only', async () => {
  const mailer = createMailer({ smtpUrl: smtp.url, from: 'App <no-reply@app.example>' })
  const before = smtp.mails.length
  for (const to of ['a@b.example, c@evil.example', 'a@b.example\r\nRCPT TO:<c@evil.example>', 'You <c@evil.example>']) {
    await mailer.send({ ...mail, payload: { ...payload, to } }).catch(() => undefined)
    for (const { recipients } of smtp.mails.slice(before)) expect(recipients).not.toContain('c@evil.example')
  }
  mailer.close()
})

test('refuses an invalid sender', () => {
  for (const from of ['', 'App', 'App <no-reply>', 'a@b.example, c@d.example'])
    expect(() => createMailer({ smtpUrl: smtp.url, from }), from).toThrow('must be an address')
})

test('times out on an endless answer', async () => {
  const smtpUrl = `smtp://127.0.0.1:${(dripping.address() as AddressInfo).port}`
  const mailer = createMailer({ smtpUrl, from: 'a@b.example', sendTimeoutMs: 300 })
  await expect(mailer.send(mail)).rejects.toMatchObject({ name: 'ServerError', code: 'TIMEOUT' })
  mailer.close()
})
