import { headers, type Stamp, type WebauthnStamp } from 'latchkey-protocol'
import { PasskeyUnsupportedError } from '../../../web/passkey/errors.ts'
import type { NewPasskey, PasskeyCreationOptions, PasskeyPort, Platform } from '../../../web/platform.ts'
import { AbortedError, SupersededError, signedOutError } from '../../errors/authErrors.ts'
import type { StampedBody, Stamper } from '../api/createCustodyApi.ts'

export type Passkeys = {
  /** Prompts for a new passkey. `signal` closes the prompt; by default signing out does. */
  create(parameters: {
    /** @default relying party, day and time */
    username?: string | undefined
    options?: PasskeyCreationOptions | undefined
    signal?: AbortSignal | undefined
  }): Promise<NewPasskey>
  /** Tells the device to stop offering a passkey that the service refused. */
  remove(passkey: NewPasskey): Promise<void>
  /**
   * Returns a stamper that prompts for each stamp. Without `credentialId` the user chooses among the relying party's
   * passkeys.
   */
  stamper(parameters: {
    credentialId?: string | undefined
    signal?: AbortSignal | undefined
    /** Restricts the prompt to passkeys on the device. */
    isImmediate?: boolean | undefined
  }): Stamper
  /** Whether the browser supports prompts restricted to passkeys on the device. */
  hasImmediate(): Promise<boolean>
  /**
   * Offers passkeys in a form field and resolves with the stamped body when one is picked. Rejects with `SUPERSEDED` as
   * soon as a prompt, another offer or `endOffer` is called.
   */
  offer(body: () => Promise<string>, signal?: AbortSignal): Promise<StampedBody>
  /** Ends an open offer. */
  endOffer(): void
  /**
   * Runs stamped requests one after another. Custody refuses a counter that is not above the last one it saw (WebAuthn
   * L3 § 7.2), so requests must arrive in stamping order.
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

/** Creates the page's passkey client, with one prompt at a time: browsers refuse a second. */
export function createPasskeys(parameters: createPasskeys.Parameters): createPasskeys.ReturnType {
  const { platform, sessionSignal, rpId } = parameters
  let turn: Promise<unknown> = Promise.resolve()
  let requests: Promise<unknown> = Promise.resolve()
  const offer = createOffer(parameters)
  /** Transports of the passkeys created here. */
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
      // Best effort: the service's refusal is the error to report.
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

/** Offers passkeys in a form field's autofill, one offer at a time: a browser's prompt cannot open during one. */
function createOffer({ platform, rpId }: createPasskeys.Parameters) {
  let current: AbortController | undefined
  const end = () => {
    current?.abort()
    current = undefined
  }
  return {
    /** Offers passkeys for signing a request body, and waits until the user picks one. */
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
    /** Ends the open offer, with `SUPERSEDED`. */
    end,
  }
}

function toStamp(stamp: WebauthnStamp): Stamp {
  return { stampHeaderName: headers.webauthnStamp, stampHeaderValue: JSON.stringify(stamp) }
}
