import { type Activity, type ActivityConfirmation, confirmationText, custodyPaths } from 'latchkey-protocol'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { HttpError } from '../../../core/errors/HttpError.ts'
import { CustodyError } from '../../errors/custodyErrors.ts'
import type { Confirmations } from './createPending.ts'
import { cancelled, wait } from './wait.ts'

/** Poll interval and longest wait for a confirmation. */
const confirmationPollMs = 1_000
const maxConfirmationMs = 3_600_000
/** Error codes of an offline page, which continues to poll. */
const cutOff = new Set<string>(['NETWORK_UNREACHABLE', 'TIMEOUT'])
/** Statuses of an overloaded or restarting service. The page polls less often, for at most a minute. */
const busy = new Set([429, 502, 503, 504])
const busyPauseMs = 5_000
const mostBusyLooks = 12

export type ReadActivity = Pick<Activity, 'id' | 'organizationId' | 'status' | 'result' | 'failure' | 'confirmation'>

/**
 * Polls until the user has confirmed the activity. Each poll repeats the same request with the same stamp, which
 * identifies the activity. Polls therefore need no passkey prompt.
 */
export async function waitForConfirmation(first: ReadActivity, waiting: Waiting): Promise<ReadActivity> {
  const shown = showConfirmation(waiting)
  let activity = first
  let busyLooks = 0
  try {
    for (let pauseMs = confirmationPollMs, waitedMs = 0; activity.confirmation && waitedMs < maxConfirmationMs; ) {
      shown.update(activity.confirmation)
      await Promise.race([wait(pauseMs, waiting.signal), shown.whenCancelled])
      if (shown.isCancelled()) throw cancelled()
      waitedMs += pauseMs
      try {
        activity = await waiting.sendTo(waiting.path)
        busyLooks = 0
      } catch (error) {
        busyLooks = isBusy(error) ? busyLooks + 1 : 0
        if (busyLooks > mostBusyLooks || !(busyLooks > 0 || isCutOff(error))) throw error
      }
      pauseMs = busyLooks > 0 ? busyPauseMs : confirmationPollMs
    }
    return activity
  } finally {
    shown.end()
  }
}

function isCutOff(error: unknown): boolean {
  return error instanceof BaseError && cutOff.has(error.code)
}

function isBusy(error: unknown): boolean {
  return (error instanceof HttpError || error instanceof CustodyError) && busy.has(error.status)
}

/** Exposes the pending confirmation. When the next e-mail goes to another recipient, replaces the confirmation. */
function showConfirmation({ confirmations, sendTo }: Waiting) {
  let end = () => {}
  let isCancelled = false
  let leave = () => {}
  const whenCancelled = new Promise<void>((resolve) => {
    leave = resolve
  })
  let to: string | undefined | null = null
  return {
    update(confirmation: ActivityConfirmation) {
      if (to === confirmation.to || isCancelled) return
      end()
      to = confirmation.to
      end = confirmations.begin({
        text: confirmationText,
        expiresAtMs: Number(confirmation.expiresAtMs),
        to,
        action: confirmation.action,
        reveals: confirmation.reveals,
        takes: confirmation.takes,
        async resend() {
          await sendTo(custodyPaths.resendConfirmation)
        },
        cancel() {
          isCancelled = true
          end()
          leave()
        },
      })
    },
    isCancelled: () => isCancelled,
    whenCancelled,
    end: () => end(),
  }
}

type Waiting = {
  path: string
  /** Sends the same request and stamp to another path. */
  sendTo: (path: string) => Promise<ReadActivity>
  signal: AbortSignal | undefined
  confirmations: Pick<Confirmations, 'begin'>
}
