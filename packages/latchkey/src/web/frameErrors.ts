import { frameDeclined } from 'latchkey-protocol'
import { BaseError } from '../core/errors/BaseError.ts'
import { redactUrl } from '../core/http/redactUrl.ts'

export function noContainerError(containerId: string): BaseError {
  return new BaseError(`The page has no element with the id "${containerId}" to show the frame in.`, {
    code: 'FRAME_FAILED',
    metaMessages: ['Render the container before you open the frame, and keep it until the frame is closed.'],
  })
}

export function frameTimeoutError(url: string, what: string, timeoutMs: number): BaseError {
  return new BaseError(`The frame at ${redactUrl(url)} did not answer ${what} within ${timeoutMs} ms.`, {
    code: 'FRAME_TIMEOUT',
    metaMessages: [
      `The server of the frame is not running (\`npm start\` runs a local one), or does not list the origin ${location.origin}.`,
      "This page's Content-Security-Policy has no `frame-src` (or `child-src`) for it.",
      'An extension or the browser blocks it.',
    ],
  })
}

export function frameLostError(url: string): BaseError {
  return new BaseError('The page has removed, moved or reloaded the frame.', {
    code: 'FRAME_LOST',
    metaMessages: ['Keep the container of the frame where it is, and try again.', `Frame: ${redactUrl(url)}`],
  })
}

/** The user declined the request in the frame. */
export class FrameDeclinedError extends BaseError {
  constructor(url: string) {
    super('You declined this request.', {
      code: 'FRAME_DECLINED',
      metaMessages: [`Frame: ${redactUrl(url)}`],
      name: 'FrameDeclinedError',
    })
  }
}

export function frameFailedError(url: string, value: unknown): BaseError {
  if (value === `Error: ${frameDeclined}`) return new FrameDeclinedError(url)
  return new BaseError('The request failed in the secure frame.', {
    code: 'FRAME_FAILED',
    metaMessages: [`Frame: ${redactUrl(url)}`],
    details: typeof value === 'string' ? value.replace(/^Error: /, '').slice(0, 500) : undefined,
  })
}

export function frameClosedError(url: string): BaseError {
  return new BaseError('The frame was closed.', { code: 'ABORTED', metaMessages: [`Frame: ${redactUrl(url)}`] })
}
