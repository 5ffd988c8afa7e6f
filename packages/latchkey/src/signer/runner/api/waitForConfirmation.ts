import { type Activity, type ActivityConfirmation, confirmationText, custodyPaths } from 'latchkey-protocol'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { HttpError } from '../../../core/errors/HttpError.ts'
import { CustodyError } from '../../errors/custodyErrors.ts'
import type { Confirmations } from './createPending.ts'
import { cancelled, wait } from './wait.ts'

/** Between two looks at an activity that waits for a person, and how long the page waits at most. */
const confirmationPollMs = 1_000
const maxConfirmationMs = 3_600_000
/** The page has no connection: as long as it waits at all. */
const cutOff = new Set<string>(['NETWORK_UNREACHABLE', 'TIMEOUT'])
/** The service is too busy, or restarts: looked at less often, and for a minute. */
const busy = new Set([429, 502, 503, 504])
const busyPauseMs = 5_000
const mostBusyLooks = 12

export type ReadActivity = Pick<Activity, 'id' | 'organizationId' | 'status' | 'result' | 'failure' | 'confirmation'>

/**
 * Waits while an activity is to be confirmed outside the page. The same request with the same stamp names the activity,
 * so a passkey is not prompted for again. A phone that shows the mail may be without a connection meanwhile.
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

/** What the signer says of the mail that is waited for; the next one when that goes to another address. */
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
  /** Of the call. */
  path: string
  /** Sends the request of the call once more, with the same stamp. */
  sendTo: (path: string) => Promise<ReadActivity>
  signal: AbortSignal | undefined
  confirmations: Pick<Confirmations, 'begin'>
}
