import { Hono } from 'hono'
import { ownOriginOnly } from '../devnet/ownOriginOnly.ts'
import type { createMessageStore } from './createMessageStore.ts'

/**
 * Content security policy for an e-mail's HTML: no scripts, images only over https, links open outside of the frame.
 */
const mailPolicy = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data: https:',
  "frame-ancestors 'self'",
].join('; ')

/**
 * Serves the inbox to pages and programs on this machine: `GET /api/messages?to=`, `GET /api/messages/:id`, `GET
 * /api/messages/:id/html` and `DELETE /api/messages`. `/` redirects to `pageUrl`, which shows the e-mails.
 */
export function inboxApp(store: createMessageStore.ReturnType, { pageUrl }: { pageUrl: string }): Hono {
  const app = new Hono()
  app.use(ownOriginOnly())
  app.use(async (context, next) => {
    await next()
    context.header('Cache-Control', 'no-store')
    context.header('Referrer-Policy', 'no-referrer')
    context.header('X-Content-Type-Options', 'nosniff')
  })
  app.get('/api/messages', (context) => context.json(store.list({ to: context.req.query('to') })))
  app.delete('/api/messages', (context) => {
    store.clear()
    return context.body(null, 204)
  })
  app.get('/api/messages/:id', (context) => {
    const message = store.get(context.req.param('id'))
    return message ? context.json(message) : context.json(gone, 404)
  })
  app.get('/api/messages/:id/html', (context) => {
    const message = store.get(context.req.param('id'))
    if (!message) return context.json(gone, 404)
    context.header('Content-Security-Policy', mailPolicy)
    return context.html(withLinksOutside(message.html))
  })
  app.get('/', (context) => context.redirect(pageUrl))
  app.notFound((context) => context.json({ code: 'NOT_FOUND', message: 'No such page in the inbox.' }, 404))
  return app
}

/** Adds `<base target>` after the doctype, because before it the browser would use quirks mode. */
function withLinksOutside(html: string): string {
  const doctype = /^\s*<!doctype[^>]*>/i.exec(html)?.[0] ?? ''
  return `${doctype}<base target="_blank">${html.slice(doctype.length)}`
}

const gone = { code: 'NOT_FOUND', message: 'No such email. The inbox keeps only the newest ones.' }
