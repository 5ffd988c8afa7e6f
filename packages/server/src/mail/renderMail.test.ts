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

Open this link in the browser where you started.

Sign in:
https://shop.example/?bundle=abc&orgId=1

Or enter this code on the page where you started.

    012345

Requested from Firefox on Linux, 21 Nov 2026, 12:40 UTC

The link works for 15 minutes, the code for 10 minutes.

Never share this code. We will never ask for it.

Didn't ask for this email? You can ignore it: nobody can sign in without it.

If the button doesn't work, copy this link into your browser:
https://shop.example/?bundle=abc&orgId=1
`)
  expect(html).toContain('<h1 class="ink"')
  expect(html).toContain('Sign in to Shop &amp; &lt;Co&gt;')
  expect(html).toContain('href="https://shop.example/?bundle=abc&amp;orgId=1"')
  expect(html).toContain('src="https://shop.example/logo.png?a=1&amp;b=2"')
  // The code is grouped visually, without characters that would be copied.
  expect(html.replace(/<[^>]*>/g, '')).toContain('012345')
  expect(html).toMatch(/>012<\/span><wbr><span [^>]*>345</)
  expect(html).not.toContain('<Co>')
})

test('names the request in the subject of a confirmation, and never its free text', () => {
  const request = {
    app: 'Shop',
    email: payload.to,
    requestedAtMs: now,
    expiresAtMs: now + 900_000,
    link: 'https://a.b/#c',
  }
  const render = (content: object) =>
    renderMail({ payload: { to: payload.to, appName: 'Shop', content: { ...request, ...content } as never }, now })
  const { subject, text } = render({ kind: 'confirm', action: 'export-wallet', keyFingerprint: '0123 4567 89ab cdef' })
  expect(subject).toBe('Confirm: show your recovery phrase – Shop')
  expect(text).toContain('You (or someone signed in as you) asked to show your recovery phrase.')
  expect(text).toContain('Safety code (must match the app): 0123 4567 89ab cdef')
  expect(render({ kind: 'confirm', action: 'add-passkey', detail: 'Phone of Ann' }).subject).toBe(
    'Confirm: add a passkey – Shop',
  )
  expect(render({ kind: 'prove', action: 'change-email' }).subject).toBe('Use this address to sign in to Shop?')
})

test('explains what happened in notices without links', () => {
  const kinds = [
    'passkey-added',
    'key-added',
    'provider-added',
    'provider-removed',
    'factor-added',
    'factor-removed',
    'recovery-code-used',
    'credential-removed',
    'wallet-exported',
    'wallet-moved',
    'email-changed',
  ] as const
  for (const kind of kinds) {
    const { subject, text, html } = renderMail({
      payload: { to: payload.to, appName: 'Shop', content: { kind, happenedAtMs: now } },
      now,
    })
    expect(subject).toMatch(/^Shop: (?:a|your) /)
    expect(text).toContain('21 Nov 2026, 12:40 UTC')
    expect(text).toContain("If this wasn't you")
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
