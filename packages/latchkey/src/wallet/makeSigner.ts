import { createSigner } from '../signer/createSigner.ts'
import type { Signer, SignerParameters } from '../signer/types.ts'
import type { Link } from '../web/platform.ts'
import { webPlatform } from '../web/webPlatform.ts'

/** The signer of a config. `link`: what the page's address carried, which was read and removed before. */
export function makeSigner(parameters: SignerParameters, link: Link | null): Signer {
  const platform = parameters.platform ?? webPlatform()
  return createSigner({ ...parameters, platform: platform ? { ...platform, readLink: () => link } : undefined })
}
