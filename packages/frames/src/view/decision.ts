import { frameDeclined } from 'latchkey-protocol'
import { FrameError } from '../FrameError.ts'
import { getElement, onSeenClick, onUserClick } from './page.ts'

/** Milliseconds the frame waits for the user. */
const decisionMs = 600_000

export type Decision = {
  /** Resolves if the user agrees. Rejects if they decline or do not decide in time, and if another wait begins. */
  wait(): Promise<void>
  /** Ends a wait, with a reason. */
  end(why: string): void
}

export declare namespace createDecision {
  type Options = {
    /** Element that must be fully visible for the click to count. @default the account and the buttons */
    area?: HTMLElement | undefined
    /** Returns why an agreement does not count yet, or undefined if it does. */
    findObjection?: (() => string | undefined) | undefined
  }
}

/**
 * Handles the two buttons under the account. One wait at a time: a new one ends the previous. `decline` withdraws the
 * request.
 */
export function createDecision(
  decline: () => void,
  { area = getElement('decision'), findObjection }: createDecision.Options = {},
): Decision {
  const status = getElement('decision-status')
  let settle: ((refusal?: FrameError) => void) | undefined
  const end = (why: string) => settle?.(new FrameError(why))
  const declineFor = (why: string) => {
    decline()
    end(why)
  }
  onSeenClick(getElement('go-on'), { area, status }, () => {
    const objection = findObjection?.()
    if (objection === undefined) settle?.()
    else status.textContent = objection
  })
  onUserClick(getElement('not-me'), () => declineFor(frameDeclined))
  return {
    end,
    wait: () =>
      new Promise<void>((resolve, reject) => {
        end('the page asked for it again')
        status.textContent = ''
        const timer = setTimeout(declineFor, decisionMs, 'the user did not decide in time')
        settle = (refusal) => {
          clearTimeout(timer)
          settle = undefined
          if (refusal) reject(refusal)
          else resolve()
        }
      }),
  }
}
