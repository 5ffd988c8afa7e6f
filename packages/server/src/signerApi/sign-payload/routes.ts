import { Hono } from 'hono'
import { custodyPaths, type SignPayloadResponse } from 'latchkey/wire'
import { z } from 'zod'
import type { Caller } from '../access/requireProject.ts'
import { readActivity, readAnswer } from '../custody-client/createCustodyClient.ts'
import type { createForward } from '../custody-client/createForward.ts'
import { joinSignature } from './joinSignature.ts'

const part = z.string().regex(/^[0-9a-f]{64}$/)
const signAnswer = z.object({
  signRawPayloadResult: z.object({ r: part, s: part, v: z.enum(['00', '01']) }),
})

export declare namespace signPayloadRoutes {
  type Deps = { forward: createForward.ReturnType }
}

/** `POST /v1/sign-payload`: has custody run a stamped `sign_raw_payload` and answers one 65-byte signature. */
export function signPayloadRoutes({ forward }: signPayloadRoutes.Deps): Hono<Caller> {
  return new Hono<Caller>().post('/', async (context) => {
    const activity = readActivity(await forward(context, custodyPaths.signRawPayload))
    const { signRawPayloadResult } = readAnswer(signAnswer, activity.result)
    return context.json({ signature: joinSignature(signRawPayloadResult) } satisfies SignPayloadResponse)
  })
}
