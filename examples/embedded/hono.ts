import { Hono } from 'hono'
import { createServer } from 'latchkey-server'

export async function createApp(options: createServer.Options) {
  const latchkey = await createServer(options)
  const app = new Hono()
  app.get('/', (context) => context.text('Your app'))
  // `context.env` contains the connection, which rate limits by client IP address require.
  app.mount('/wallet', (request, env) => latchkey.fetch(request, env))
  return { app, latchkey }
}
