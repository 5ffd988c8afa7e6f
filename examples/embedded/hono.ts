import { Hono } from 'hono'
import { createServer } from 'latchkey-server'

export async function createApp(options: createServer.Options) {
  const latchkey = await createServer(options)
  const app = new Hono()
  app.get('/', (context) => context.text('Your app'))
  // `context.env` holds the connection, which limits by client address need.
  app.mount('/wallet', (request, env) => latchkey.fetch(request, env))
  return { app, latchkey }
}
