import { BaseError } from '../core/errors/BaseError.ts'
import { createSigner } from '../signer/createSigner.ts'
import { sessionKey } from '../signer/session/createSessionStore.ts'
import type { SessionConfig, Signer, SignerParameters } from '../signer/types.ts'
import type { Link, Platform, Succession } from '../web/platform.ts'
import { webPlatform } from '../web/webPlatform.ts'

export declare namespace makeSigner {
  type Parameters = {
    parameters: SignerParameters
    /** What the page's address carried, which was read and removed before. */
    link: Link | null
    /** Whether a provider shows this config. */
    isInUse(): boolean
    /** Ends the signer; every further call of it fails with this error. */
    retire(error: BaseError): void
  }
}

/** The signer of a config. It gives way to that of a later config with the same stored session, unless it is in use. */
export function makeSigner({ parameters, link, isInUse, retire }: makeSigner.Parameters): Signer {
  const platform = parameters.platform ?? webPlatform()
  const succession: Succession = {
    session: sessionName(parameters.sessionConfig),
    giveWay() {
      if (isInUse()) return false
      retire(replaced())
      return true
    },
  }
  return createSigner({ ...parameters, platform: platform ? withSuccession(platform, link, succession) : undefined })
}

function withSuccession(platform: Platform, link: Link | null, succession: Succession): Platform {
  return {
    ...platform,
    readLink: () => link,
    claimFrameKey: (origin, owner) => platform.claimFrameKey?.(origin, owner, succession) ?? true,
  }
}

function sessionName(sessionConfig: SessionConfig | undefined): string {
  const { storage = 'localStorage' } = sessionConfig ?? {}
  return `${typeof storage === 'string' ? storage : 'own'}:${sessionKey(sessionConfig)}`
}

function replaced(): BaseError {
  return new BaseError('A later config of this page has taken the place of this one.', {
    code: 'SIGNER_CONFLICT',
    metaMessages: ['Use the later one. Make one config a page, outside of components.'],
  })
}

/** The code came too late for the press that asked for a passkey. */
export function pressNeeded(): BaseError {
  return new BaseError('Press once more to use your passkey.', {
    code: 'PASSKEY_PRESS_NEEDED',
    metaMessages: ['Loading took so long that the browser no longer counts the first press.'],
  })
}
