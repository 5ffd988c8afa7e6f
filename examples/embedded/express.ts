import express from 'express'
import { createServer, toNodeListener } from 'latchkey-server'

export async function createApp(options: createServer.Options) {
  const latchkey = await createServer(options)
  const app = express()
  // Must precede body parsers, because stamps cover the exact bytes of a request.
  app.use('/wallet', toNodeListener(latchkey.fetch))
  app.use(express.json())
  app.get('/', (_request, response) => {
    response.send('Your app')
  })
  return { app, latchkey }
}
