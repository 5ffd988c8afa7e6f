import express from 'express'
import { verifyAccessToken } from 'latchkey/server'
import { project } from './project.ts'

export const app = express()

app.use('/api', async (request, response, next) => {
  const token = request.headers.authorization?.replace(/^Bearer /i, '') ?? ''
  const user = await verifyAccessToken({ token, ...project }).catch(() => undefined)
  if (!user) return response.status(401).send('Sign in first.')
  response.locals.user = user.sub
  return next()
})

app.get('/api/orders', (_request, response) => {
  response.json({ orders: [], for: response.locals.user })
})
