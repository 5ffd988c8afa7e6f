import {
  type Confirmation,
  custodyPaths,
  type DecideConfirmationRequest,
  type ReadConfirmationRequest,
} from 'latchkey-protocol'
import { FrameError } from '../FrameError.ts'

export type ConfirmationApi = {
  read(request: ReadConfirmationRequest): Promise<Confirmation>
  decide(request: DecideConfirmationRequest): Promise<Confirmation>
}

const timeoutMs = 15_000

/** Creates the page's client of custody. Its error messages are shown to users. */
export function createConfirmationApi(custodyUrl: string): ConfirmationApi {
  async function post(path: string, body: object): Promise<Confirmation> {
    const response = await fetch(`${custodyUrl.replace(/\/+$/, '')}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => undefined)
    const json: { confirmation?: Confirmation; message?: string } | undefined = await response
      ?.json()
      .catch(() => undefined)
    if (response?.ok && json?.confirmation) return json.confirmation
    throw new FrameError(json?.message ?? "We couldn't reach the service. Nothing was decided; try again.")
  }
  return {
    read: (request) => post(custodyPaths.readConfirmation, request),
    decide: (request) => post(custodyPaths.decideConfirmation, request),
  }
}
