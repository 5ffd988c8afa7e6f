import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestSmtp, type TestSmtp } from '../../../../test/smtp.ts'
import { createMailer } from './createMailer.ts'

const payload = { to: 'a@b.example', appName: 'App', link: 'https://app.example/?bundle=x', expiresAtMs: 900_000 }
const mail = { id: '0f4dd574-f8f5-4619-9f16-7cd9fdc45f92', payload, now: 0 }

let smtp: TestSmtp
/** Greets, then answers every command with lines that promise one more, for ever. */
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
beforeAll(async () => {
  smtp = await startTestSmtp()
  await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', () => resolve()))
})
afterAll(async () => {
  await smtp.close()
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => dripping.close(resolve))
})

test('default', async () => {
  const mailer = createMailer({ smtpUrl: smtp.url, from: 'App <no-reply@app.example>' })
  await mailer.send(mail)
  mailer.close()
  expect(smtp.mails.map(({ recipients }) => recipients)).toEqual([['a@b.example']])
  expect(smtp.mails[0]?.parsed.messageId).toBe(`<${mail.id}@app.example>`)
})

test('error: a server that never comes to an end', async () => {
  const smtpUrl = `smtp://127.0.0.1:${(dripping.address() as AddressInfo).port}`
  const mailer = createMailer({ smtpUrl, from: 'a@b.example', sendTimeoutMs: 300 })
  await expect(mailer.send(mail)).rejects.toMatchObject({ name: 'ServerError', code: 'TIMEOUT' })
  mailer.close()
})
