import type { Effect, MachineEvent } from '../machine/types.ts'
import type { SignerContext } from '../SignerContext.ts'
import { completeCode } from './completeCode.ts'
import { completeEmail } from './completeEmail.ts'
import { logInWithPasskey } from './logInWithPasskey.ts'
import { restoreSession } from './restoreSession.ts'
import { sendMail } from './sendMail.ts'
import { signUpWithPasskey } from './signUpWithPasskey.ts'

/** An effect that takes time and ends in an event. */
export type JobEffect = Extract<Effect, { job: number }>

/** Does a job and answers what the machine is to hear of it. */
export async function runJob(context: SignerContext, effect: JobEffect, signal: AbortSignal): Promise<MachineEvent> {
  const { job } = effect
  switch (effect.type) {
    case 'restore':
      return { type: 'RESTORED', job, session: await restoreSession(context, effect.session, signal) }
    case 'sendMail':
      return { type: 'MAIL_SENT', job, ...(await sendMail(context, effect.request, signal)) }
    case 'complete': {
      const { request } = effect
      const session =
        'code' in request ? await completeCode(context, request, signal) : await completeEmail(context, request, signal)
      return { type: 'COMPLETED', job, session }
    }
    case 'usePasskey': {
      const { request } = effect
      const session = request.createNew
        ? await signUpWithPasskey(context, request, signal)
        : await logInWithPasskey(context, request, signal)
      return { type: 'COMPLETED', job, session }
    }
  }
}
