import { Hono } from 'hono'
import { custodyPaths, type SignPayloadResponse } from 'latchkey/wire'
import { z } from 'zod'
import { readRequest } from '../access/readRequest.ts'
import type { Caller } from '../access/requireProject.ts'
import { type CustodyClient, readActivity, readAnswer } from '../custody-client/createCustodyClient.ts'
import { requirePath, stampedSchema } from '../custody-client/stampedRequest.ts'
import { joinSignature } from './joinSignature.ts'

const part = z.string().regex(/^[0-9a-f]{64}$/)
const signAnswer = z.object({
  signRawPayloadResult: z.object({ r: part, s: part, v: z.enum(['00', '01']) }),
})

export declare namespace signPayloadRoutes {
  type Deps = { custody: CustodyClient }
}

/** `POST /v1/sign-payload`: has custody run a stamped `sign_raw_payload` and answers one 65-byte signature. */
export function signPayloadRoutes({ custody }: signPayloadRoutes.Deps): Hono<Caller> {
  return new Hono<Caller>().post('/', async (context) => {
    const { stampedRequest } = await readRequest(context, stampedSchema)
    requirePath(stampedRequest, custodyPaths.signRawPayload)
    const activity = readActivity(await custody.forward(custodyPaths.signRawPayload, stampedRequest))
    const { signRawPayloadResult } = readAnswer(signAnswer, activity.result)
    return context.json({ signature: joinSignature(signRawPayloadResult) } satisfies SignPayloadResponse)
  })
}
