import { expect, test } from 'vitest'
import type { MailPayload } from '../keys/mailSeal.ts'
import { renderMail } from './renderMail.ts'

const now = Date.UTC(2026, 10, 21, 12, 40)
const payload: MailPayload = {
  to: 'me@home.example',
  appName: 'Shop & <Co>',
  logoUrl: 'https://shop.example/logo.png?a=1&b=2',
  content: {
    kind: 'sign-in',
    link: 'https://shop.example/?bundle=abc&orgId=1',
    code: '012345',
    expiresAtMs: now + 900_000,
    codeExpiresAtMs: now + 600_000,
    requestedFrom: 'Firefox on Linux',
    requestedAt: new Date(now).toISOString(),
  },
}
const signIn = (changes: object) => ({ ...payload, content: { ...payload.content, ...changes } as never })

test('renders a sign-in mail as text and HTML', () => {
  const { subject, text, html } = renderMail({ payload, now })
  expect(subject).toBe('Sign in to Shop & <Co>')
  expect(text).toBe(`Sign in to Shop & <Co>

Open the link in the browser where you asked for it.

https://shop.example/?bundle=abc&orgId=1

Or enter this code on the page where you asked for it.

    012345

Asked for with Firefox on Linux on 21 November 2026 at 12:40 UTC.

The link works for 15 minutes, the code for 10 minutes.

Tell the code to nobody: whoever enters it signs in as you. We never ask for it.

If you did not ask for this mail, ignore it. Nobody can sign in without it.

If the button does not work, copy this link:
https://shop.example/?bundle=abc&orgId=1
`)
  expect(html).toContain('<h1 class="ink"')
  expect(html).toContain('Sign in to Shop &amp; &lt;Co&gt;')
  expect(html).toContain('href="https://shop.example/?bundle=abc&amp;orgId=1"')
  expect(html).toContain('src="https://shop.example/logo.png?a=1&amp;b=2"')
  // The code is grouped visually without characters that would be copied.
  expect(html.replace(/<[^>]*>/g, '')).toContain('012345')
  expect(html).toMatch(/>012<\/span><wbr><span [^>]*>345</)
  expect(html).not.toContain('<Co>')
})

test('explains what happened in notices without links', () => {
  const kinds = ['passkey-added', 'key-added', 'credential-removed', 'wallet-exported', 'email-changed'] as const
  for (const kind of kinds) {
    const { subject, text, html } = renderMail({
      payload: { to: payload.to, appName: 'Shop', content: { kind, happenedAtMs: now } },
      now,
    })
    expect(subject).toMatch(/^Shop: (?:a|your) /)
    expect(text).toContain('On 21 November 2026 at 12:40 UTC.')
    expect(text).toContain('If this was not you')
    expect(html).not.toContain('<a ')
  }
})

test('renders with a registered template', () => {
  const templates = { plain: () => ({ text: 'text', html: '<p>html</p>' }) }
  const rendered = { subject: 'Sign in to Shop & <Co>', text: 'text', html: '<p>html</p>' }
  expect(renderMail({ payload: { ...payload, templateId: 'plain' }, now, templates })).toEqual(rendered)
  for (const templateId of ['other', 'toString'])
    expect(renderMail({ payload: { ...payload, templateId }, now, templates }).html).toContain('<h1')
})

test('refuses control and direction characters', () => {
  for (const text of ['a\r\nBcc: x@y.example', 'a\u0000', '\u202egnp.exe', 'a\u2028b'])
    for (const bad of [
      { ...payload, appName: text },
      { ...payload, logoUrl: text },
      { ...payload, senderName: text },
      signIn({ link: text }),
      signIn({ code: text }),
    ])
      expect(() => renderMail({ payload: bad, now })).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }))
})

test('turns no text of other users into links', () => {
  const words = 'URGENT: verify at https://evil.example/x or www.evil.example, mail to help@evil.example'
  const request = {
    action: 'add-passkey',
    app: 'Shop',
    email: payload.to,
    requestedAtMs: now,
    expiresAtMs: now + 900_000,
  }
  const said = { detail: words, openedBy: words, requestedFrom: words }
  const link = 'https://frame.example/#secret'
  for (const content of [
    { kind: 'confirm', ...request, ...said, link },
    { kind: 'prove', ...request, ...said, link },
    { ...payload.content, requestedFrom: words },
  ]) {
    const { text, html } = renderMail({ payload: { ...payload, content: content as never }, now })
    expect(text).toContain('URGENT verify at')
    expect(`${text}${html}`).not.toMatch(/evil\.|\/\/evil|www\.|@evil/)
  }
})
