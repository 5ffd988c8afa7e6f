import { frameDeclined } from 'latchkey-protocol'
import { FrameError } from '../FrameError.ts'
import { getElement, onSeenClick, onUserClick } from './page.ts'

/** Milliseconds until the user must have decided. */
const decisionMs = 600_000

export type Decision = {
  /**
   * Resolves if the user agrees. Rejects if the user declines or does not decide in time, or if another wait starts.
   */
  wait(): Promise<void>
  end(why: string): void
}

export declare namespace createDecision {
  type Options = {
    /** Element that must be fully visible when the user agrees. @default the element with account and buttons */
    area?: HTMLElement | undefined
    /** Returns why the user cannot agree yet; undefined if the user can. */
    findObjection?: (() => string | undefined) | undefined
  }
}

/** Handles the two buttons below the account. A new wait ends the previous one. `decline` withdraws the request. */
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
