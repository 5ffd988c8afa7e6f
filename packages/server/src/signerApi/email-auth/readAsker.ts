import type { Context } from 'hono'
import type { Caller } from '../access/requireProject.ts'
import type { createEmailAuth } from './createEmailAuth.ts'

/** Who asks for a mail, as far as the request tells. */
export function readAsker(context: Context<Caller>): Omit<createEmailAuth.Request, 'user' | 'body'> {
  return {
    project: context.get('project'),
    origin: context.get('origin'),
    clientIp: context.get('clientIp'),
    userAgent: context.req.header('user-agent'),
    requestId: context.get('requestId'),
  }
}
