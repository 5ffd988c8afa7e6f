import { connect } from 'node:net'

export declare namespace sendMail {
  type Parameters = { from: string; to: string; subject: string; html: string }
}

/** Sends a raw mail to a local SMTP server (RFC 5321). */
export async function sendMail(port: number, { from, to, subject, html }: sendMail.Parameters): Promise<void> {
  const encoded = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`
  const head = [`From: <${from}>`, `To: <${to}>`, `Subject: ${encoded}`, 'Content-Type: text/html; charset=utf-8']
  const lines = [
    'EHLO localhost',
    `MAIL FROM:<${from}>`,
    `RCPT TO:<${to}>`,
    'DATA',
    `${head.join('\r\n')}\r\n\r\n${html}\r\n.`,
    'QUIT',
  ]
  const socket = connect(port, '127.0.0.1')
  socket.setTimeout(10_000, () => socket.destroy(new Error('The mail server is silent.')))
  let text = ''
  for await (const chunk of socket) {
    text += String(chunk)
    // A reply's last line has a space after its code.
    if (!/^\d{3} .*\r\n$/m.test(text)) continue
    if (!/^[23]/.test(text)) throw new Error(`The mail was refused: ${text}`)
    text = ''
    const next = lines.shift()
    if (next === undefined) break
    socket.write(`${next}\r\n`)
  }
}
