import { PasskeyUnsupportedError } from '../../web/passkey/errors.ts'
import type { Platform } from '../../web/platform.ts'
import type { WebauthnStamp } from '../../wire/custody.ts'
import { AbortedError, SupersededError } from '../errors/authErrors.ts'

export type PasskeyOffer = {
  /** Offers the passkeys for signing a body, and waits until one is picked. */
  open(body: () => Promise<string>, signal?: AbortSignal): Promise<WebauthnStamp>
  /** Ends the offer that is open, with `SUPERSEDED`. */
  end(): void
}

export declare namespace createOffer {
  type Parameters = { platform: Platform; rpId?: string | undefined }
  type ReturnType = PasskeyOffer
}

/** Passkeys in the autofill of a form field, one offer at a time: a browser's prompt cannot open beside it. */
export function createOffer({ platform, rpId }: createOffer.Parameters): createOffer.ReturnType {
  let present: AbortController | undefined
  const end = () => {
    present?.abort()
    present = undefined
  }
  return {
    async open(body, given) {
      end()
      const mine = new AbortController()
      const { signal } = mine
      present = mine
      const giveUp = () => mine.abort()
      given?.addEventListener('abort', giveUp)
      if (given?.aborted) giveUp()
      try {
        const port = await conditionalPort(platform)
        const text = await body()
        signal.throwIfAborted()
        return await port.stamp({ body: text, rpId, signal, isConditional: true })
      } catch (error) {
        if (given?.aborted) throw new AbortedError()
        throw signal.aborted ? new SupersededError() : error
      } finally {
        given?.removeEventListener('abort', giveUp)
        if (present === mine) present = undefined
      }
    },
    end,
  }
}

async function conditionalPort({ passkeys }: Platform): Promise<NonNullable<Platform['passkeys']>> {
  if (!passkeys || !(await passkeys.hasConditional?.())) throw new PasskeyUnsupportedError()
  return passkeys
}
