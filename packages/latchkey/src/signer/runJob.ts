import { completeEmail } from './actions/completeEmail.ts'
import { logInWithPasskey } from './actions/logInWithPasskey.ts'
import { restoreSession } from './actions/restoreSession.ts'
import { sendMail } from './actions/sendMail.ts'
import { signUpWithPasskey } from './actions/signUpWithPasskey.ts'
import type { Effect, MachineEvent } from './machine/types.ts'
import type { SignerContext } from './SignerContext.ts'

/** An effect that takes time and ends in an event. */
export type JobEffect = Extract<Effect, { job: number }>

/** Does a job and answers what the machine is to hear of it. */
export async function runJob(context: SignerContext, effect: JobEffect, signal: AbortSignal): Promise<MachineEvent> {
  const { job } = effect
  switch (effect.type) {
    case 'restore':
      return { type: 'RESTORED', job, session: await restoreSession(context, effect.session, signal) }
    case 'sendMail':
      return { type: 'MAIL_SENT', job, orgId: await sendMail(context, effect.request, signal) }
    case 'complete':
      return { type: 'COMPLETED', job, session: await completeEmail(context, effect.request, signal) }
    case 'usePasskey': {
      const { request } = effect
      const session = request.createNew
        ? await signUpWithPasskey(context, request, signal)
        : await logInWithPasskey(context, signal)
      return { type: 'COMPLETED', job, session }
    }
  }
}
