import { Hono } from 'hono'
import { verifyAccessToken } from 'latchkey/server'
import { project } from './project.ts'

export const app = new Hono<{ Variables: { user: string } }>()

app.use('/api/*', async (context, next) => {
  const token = context.req.header('authorization')?.replace(/^Bearer /i, '') ?? ''
  const user = await verifyAccessToken({ token, ...project }).catch(() => undefined)
  if (!user) return context.text('Sign in first.', 401)
  context.set('user', user.sub)
  return next()
})

app.get('/api/orders', (context) => context.json({ orders: [], for: context.get('user') }))
