import { createAccessTokenCookie } from 'latchkey/server'
import { project } from './project.ts'

export const session = createAccessTokenCookie(project)

/** The route `/api/session`: in Next.js, `export { POST, DELETE }` of `app/api/session/route.ts`. */
export const POST = session.handle
export const DELETE = session.handle
