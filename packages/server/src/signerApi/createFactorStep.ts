import {
  custodyPaths,
  type GivenMultiFactor,
  type MfaRequiredResponse,
  type MultiFactorsDetail,
  type ValidateMultiFactorsResponse,
} from 'latchkey-protocol'
import { z } from 'zod'
import { deriveKey, openText, sealText } from '../keys/sealText.ts'
import type { createStamp } from '../platform/crypto/createStamp.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import type { Asker } from './custodyClient.ts'
import { type CustodyClient, readResult } from './custodyClient.ts'
import type { CallerProject } from './requireProject.ts'

/** Maximum milliseconds between the first factor and the second. Emailed codes expire sooner than this. */
const pendingMs = 600_000
/** Custody's sign-in calls, and whether a proof in the parameters stands in for the parent's stamp. */
const calls = {
  ACTIVITY_TYPE_OTP_AUTH: { path: custodyPaths.otpAuth, send: 'redeem' },
  ACTIVITY_TYPE_OAUTH: { path: '/public/v1/submit/oauth', send: 'submit' },
} as const

const signInSchema = z.object({
  type: z.enum(['ACTIVITY_TYPE_OTP_AUTH', 'ACTIVITY_TYPE_OAUTH']),
  orgId: z.string(),
  parameters: z.record(z.string(), z.unknown()),
})
/** Sign-in call of custody, by its activity type. */
export type SignInCall = z.output<typeof signInSchema>
const pendingSchema = signInSchema.extend({ projectId: z.string(), endsMs: z.number() })
const resultSchema = z.record(z.string(), z.object({ credentialBundle: z.string() }))

export const givenFactorsSchema = z
  .array(z.object({ multiFactorId: z.uuid(), multiFactorCode: z.string().min(1).max(64) }))
  .max(1)
  .optional()

type Context = { project: Pick<CallerProject, 'id'>; asker: Asker }

export declare namespace createFactorStep {
  type Parameters = { custody: CustodyClient; apiKey: createStamp.ApiKey }
  type ReturnType = {
    /** Signs in, or returns the call sealed if custody asks for a second factor. */
    signIn(
      call: SignInCall,
      context: Context & { multiFactors?: readonly GivenMultiFactor[] | undefined },
    ): Promise<{ credentialBundle: string } | MfaRequiredResponse>
    /**
     * Repeats a sealed call with the second factor.
     *
     * @throws `MFA_INVALID`, `OTP_EXPIRED`, and any code of custody.
     */
    validate(
      encryptedPayload: string,
      context: Context & { multiFactors: readonly GivenMultiFactor[]; limit(orgId: string): Promise<void> },
    ): Promise<ValidateMultiFactorsResponse>
  }
}

/**
 * Returns the step between the first factor and the second. Custody decides whether a user needs the second, and makes
 * no session without it. The first factor is sealed for this role, bound to the project and ten minutes, so that no
 * table holds it; custody accepts it once.
 */
export function createFactorStep({ custody, apiKey }: createFactorStep.Parameters): createFactorStep.ReturnType {
  const key = deriveKey(apiKey.privateKey, 'latchkey second factor')

  async function send({ type, orgId, parameters }: SignInCall, asker: Asker, multiFactors: unknown): Promise<string> {
    const { path, send: method } = calls[type]
    const activity = custody.serialize(type, orgId, {
      ...parameters,
      ...(multiFactors !== undefined && { multiFactors }),
    })
    const { result } = await custody[method](path, activity, asker)
    const [session] = Object.values(readResult(resultSchema, result))
    return session?.credentialBundle ?? ''
  }

  return {
    async signIn(call, { project, asker, multiFactors }) {
      try {
        return { credentialBundle: await send(call, asker, multiFactors) }
      } catch (error) {
        if (!(error instanceof ServerError) || error.code !== 'MFA_REQUIRED') throw error
        const [{ multiFactors: needed } = { multiFactors: [] }] = error.details as MultiFactorsDetail[]
        const pending = { ...call, projectId: project.id, endsMs: custody.now() + pendingMs }
        return {
          status: 'MFA_REQUIRED',
          encryptedPayload: sealText(key, JSON.stringify(pending)),
          multiFactors: needed,
        }
      }
    },
    async validate(encryptedPayload, { project, asker, multiFactors, limit }) {
      const opened = openText(key, encryptedPayload)
      const pending = opened === undefined ? undefined : pendingSchema.parse(JSON.parse(opened))
      if (!pending || pending.projectId !== project.id || pending.endsMs <= custody.now())
        throw new ServerError('This sign-in has expired. Start it again.', { code: 'OTP_EXPIRED', status: 400 })
      await limit(pending.orgId)
      const credentialBundle = await send(pending, asker, multiFactors)
      return { payload: { credentialBundle }, multiFactors: [] }
    },
  }
}
