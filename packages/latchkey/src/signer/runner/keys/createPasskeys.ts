import { headers, type Stamp, type WebauthnStamp } from 'latchkey-protocol'
import { PasskeyUnsupportedError } from '../../../web/passkey/errors.ts'
import type { NewPasskey, PasskeyCreationOptions, PasskeyPort, Platform } from '../../../web/platform.ts'
import { AbortedError, SupersededError, signedOutError } from '../../errors/authErrors.ts'
import type { StampedBody, Stamper } from '../api/createCustodyApi.ts'

export type Passkeys = {
  /** Prompts for a new passkey. `signal` closes the prompt; by default, the sign-out closes it. */
  create(parameters: {
    /** @default relying party, day and time */
    username?: string | undefined
    options?: PasskeyCreationOptions | undefined
    signal?: AbortSignal | undefined
  }): Promise<NewPasskey>
  /** Reports a passkey that the service refused, so that the device stops offering it. */
  remove(passkey: NewPasskey): Promise<void>
  /**
   * Returns a stamper that shows a prompt for each stamp. Without `credentialId`, the user chooses among the relying
   * party's passkeys.
   */
  stamper(parameters: {
    credentialId?: string | undefined
    signal?: AbortSignal | undefined
    /** Restricts the prompt to passkeys on this device. */
    isImmediate?: boolean | undefined
  }): Stamper
  /** Whether the browser supports prompts restricted to passkeys on the device. */
  hasImmediate(): Promise<boolean>
  /**
   * Offers passkeys in a form field and resolves with the stamped body when the user picks one. Rejects with
   * `SUPERSEDED` when a prompt, another offer or `endOffer` replaces the offer.
   */
  offer(body: () => Promise<string>, signal?: AbortSignal): Promise<StampedBody>
  /** Ends an open offer. */
  endOffer(): void
  /**
   * Runs stamped requests one after another. Custody refuses a signature counter that has not increased (WebAuthn L3 §
   * 7.2), so requests must arrive in stamping order.
   */
  inTurn<result>(request: () => Promise<result>): Promise<result>
}

export declare namespace createPasskeys {
  type Parameters = {
    platform: Platform
    /** Aborts when the session in use ends. */
    sessionSignal: () => AbortSignal
    /** @default the page's host name */
    rpId?: string | undefined
  }
  type ReturnType = Passkeys
}

/** Creates the page's passkey client. It shows one prompt at a time, because browsers refuse a second prompt. */
export function createPasskeys(parameters: createPasskeys.Parameters): createPasskeys.ReturnType {
  const { platform, sessionSignal, rpId } = parameters
  let turn: Promise<unknown> = Promise.resolve()
  let requests: Promise<unknown> = Promise.resolve()
  const offer = createOffer(parameters)
  /** Transports of the passkeys created by this client, by credential id. */
  const known = new Map<string, readonly string[] | undefined>()

  const prompt = <result>(
    given: AbortSignal | undefined,
    show: (port: PasskeyPort, signal: AbortSignal) => Promise<result>,
  ): Promise<result> => {
    offer.end()
    const signal = given ?? sessionSignal()
    const shown = turn.then(async () => {
      if (!platform.passkeys) throw new PasskeyUnsupportedError()
      if (signal.aborted) throw signedOutError()
      return show(platform.passkeys, signal).catch((error: unknown) => {
        throw signal.aborted ? signedOutError() : error
      })
    })
    turn = shown.catch(() => undefined)
    return shown
  }

  return {
    async create({ username, options, signal: given }) {
      const made = await prompt(given, (port, signal) => port.create({ username, rpId, options, signal }))
      known.set(made.attestation.credentialId, made.transports)
      return made
    },
    async remove({ attestation: { credentialId } }) {
      // Best effort, because the service's refusal is the error to report.
      await platform.passkeys?.forget?.({ rpId, credentialId }).catch(() => undefined)
    },
    stamper:
      ({ credentialId, signal: given, isImmediate }) =>
      async (body) => {
        const transports = known.get(credentialId ?? '')
        const asked = { body, rpId, credentialId, transports, isImmediate }
        return toStamp(await prompt(given, (port, signal) => port.stamp({ ...asked, signal })))
      },
    hasImmediate: async () => (await platform.passkeys?.hasImmediate?.()) ?? false,
    offer: offer.open,
    endOffer: offer.end,
    inTurn(request) {
      const signal = sessionSignal()
      const sent = requests.then(() => {
        if (signal.aborted) throw signedOutError()
        return request()
      })
      requests = sent.catch(() => undefined)
      return sent
    },
  }
}

/**
 * Offers passkeys in the autofill of a form field, one offer at a time: the browser cannot open a prompt during an
 * offer.
 */
function createOffer({ platform, rpId }: createPasskeys.Parameters) {
  let current: AbortController | undefined
  const end = () => {
    current?.abort()
    current = undefined
  }
  return {
    /** Waits until the user picks a passkey for signing the request body. */
    async open(body: () => Promise<string>, given?: AbortSignal): Promise<StampedBody> {
      end()
      const own = new AbortController()
      const { signal } = own
      current = own
      const cancel = () => own.abort()
      given?.addEventListener('abort', cancel)
      if (given?.aborted) cancel()
      try {
        const { passkeys } = platform
        if (!passkeys || !(await passkeys.hasConditional?.())) throw new PasskeyUnsupportedError()
        const text = await body()
        signal.throwIfAborted()
        const stamp = await passkeys.stamp({ body: text, rpId, signal, isConditional: true })
        return { body: text, stamp: toStamp(stamp) }
      } catch (error) {
        if (given?.aborted) throw new AbortedError()
        throw signal.aborted ? new SupersededError() : error
      } finally {
        given?.removeEventListener('abort', cancel)
        if (current === own) current = undefined
      }
    },
    end,
  }
}

function toStamp(stamp: WebauthnStamp): Stamp {
  return { stampHeaderName: headers.webauthnStamp, stampHeaderValue: JSON.stringify(stamp) }
}
