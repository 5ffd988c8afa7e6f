import { PasskeyUnsupportedError } from '../../web/passkey/errors.ts'
import type { NewPasskey, PasskeyCreationOptions, Platform } from '../../web/platform.ts'
import type { Stamp } from '../../wire/custody.ts'
import { headers } from '../../wire/headers.ts'
import type { Stamper } from '../custody/createCustodyClient.ts'
import { signedOutError } from '../errors/authErrors.ts'
import type { SessionScope } from '../session/createSessionScope.ts'
import { createOffer } from './createOffer.ts'

export type Passkeys = {
  /** Prompts for a new passkey. `signal` closes the prompt; without it signing out does. */
  create(parameters: {
    username: string
    options?: PasskeyCreationOptions | undefined
    signal?: AbortSignal | undefined
  }): Promise<NewPasskey>
  /** Has the device offer a passkey no longer that the service did not take. */
  forget(passkey: NewPasskey): Promise<void>
  /** Stamps by a prompt each. Without `credentialId` the person chooses among those of the relying party. */
  stamper(parameters: { credentialId?: string | undefined; signal?: AbortSignal | undefined }): Stamper
  /**
   * Offers the passkeys in a form field and resolves with the stamp when one was picked. Ends with `SUPERSEDED` when a
   * prompt, another offer or `endOffer` comes, from the call on.
   */
  offer(body: () => Promise<string>, signal?: AbortSignal): Promise<Stamp>
  /** Ends an offer that is open. */
  endOffer(): void
  /**
   * Runs stamped requests one after another. Custody refuses a counter that is not above the last one it saw (WebAuthn
   * L3 § 7.2), so what was stamped first has to arrive first.
   */
  inTurn<result>(request: () => Promise<result>): Promise<result>
}

export declare namespace createPasskeys {
  type Parameters = {
    platform: Platform
    scope: SessionScope
    /** Default: the page's host name. */
    rpId?: string | undefined
  }
  type ReturnType = Passkeys
}

/** The page's passkeys, one prompt at a time: browsers refuse a second while one is open. */
export function createPasskeys({ platform, scope, rpId }: createPasskeys.Parameters): createPasskeys.ReturnType {
  let turn: Promise<unknown> = Promise.resolve()
  let requests: Promise<unknown> = Promise.resolve()
  const offer = createOffer({ platform, rpId })

  const prompt = <result>(
    given: AbortSignal | undefined,
    show: (port: NonNullable<Platform['passkeys']>, signal: AbortSignal) => Promise<result>,
  ): Promise<result> => {
    offer.end()
    const signal = given ?? scope.signal()
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
    create: ({ username, options, signal: given }) =>
      prompt(given, (port, signal) => port.create({ username, rpId, options, signal })),
    async forget({ attestation: { credentialId } }) {
      // A courtesy: a browser that will not has no say in what went wrong.
      await platform.passkeys?.forget?.({ rpId, credentialId }).catch(() => undefined)
    },
    stamper:
      ({ credentialId, signal: given }) =>
      async (body) =>
        toStamp(await prompt(given, (port, signal) => port.stamp({ body, rpId, credentialId, signal }))),
    offer: async (body, signal) => toStamp(await offer.open(body, signal)),
    endOffer: offer.end,
    inTurn(request) {
      const signal = scope.signal()
      const answered = requests.then(() => {
        if (signal.aborted) throw signedOutError()
        return request()
      })
      requests = answered.catch(() => undefined)
      return answered
    },
  }
}

function toStamp(stamp: unknown): Stamp {
  return { stampHeaderName: headers.webauthnStamp, stampHeaderValue: JSON.stringify(stamp) }
}
