import { verifyAccessToken } from 'latchkey/server'
import { project } from './project.ts'

export async function handle(request: Request): Promise<Response> {
  const token = request.headers.get('authorization')?.replace(/^Bearer /i, '') ?? ''
  const user = await verifyAccessToken({ token, ...project }).catch(() => undefined)
  if (!user) return new Response('Sign in first.', { status: 401 })
  return Response.json({ orders: [], for: user.sub })
}
