import { expect, test } from 'vitest'
import { renderSignInMail } from './renderSignInMail.ts'

const parameters = { appName: 'Shop', link: 'https://shop.example/?bundle=abc&orgId=1', minutes: 15 }

test('default', () => {
  const { subject, text, html } = renderSignInMail(parameters)
  expect(subject).toBe('Sign in to Shop')
  expect(text).toMatchInlineSnapshot(`
    "Sign in to Shop

    https://shop.example/?bundle=abc&orgId=1

    Open the link in the browser where you asked for it. It works for 15 minutes.

    If you did not ask for this mail, ignore it: without the link nobody can sign in.
    "
  `)
  expect(html).toContain('<a href="https://shop.example/?bundle=abc&amp;orgId=1"')
  expect(html).toContain('>Sign in</a>')
  expect(html).toContain('If you did not ask for this')
  expect(html).not.toMatch(/<script|<img|<link/)
})

test('behavior: texts from outside cannot become markup', () => {
  const appName = `<script>alert("x")</script> & 'Co'`
  const { subject, html } = renderSignInMail({ ...parameters, appName, link: 'https://shop.example/?a="><b>&c=\'' })
  expect(subject).toBe(`Sign in to ${appName}`)
  expect(html).not.toContain('<script')
  expect(html).not.toContain('<b>')
  expect(html).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#39;Co&#39;')
})

test('param: minutes', () => {
  expect(renderSignInMail({ ...parameters, minutes: 1 }).text).toContain('It works for 1 minute.')
})

test('error: control characters', () => {
  for (const text of ['a\r\nBcc: b@c.d', 'a\nb', 'a\u0000', 'a\u0085']) {
    expect(() => renderSignInMail({ ...parameters, appName: text })).toThrow('control characters')
    expect(() => renderSignInMail({ ...parameters, link: text })).toThrow('control characters')
  }
})
