import type { z } from 'zod'
import { parseUrl } from '../../platform/http/parseUrl.ts'
import type { settings } from '../settings.ts'
import { argumentInvalid, type Context } from './context.ts'

/** Custody's settings for a key service, and the contents of its secret files by setting. */
export type KeyService = { settings: Record<string, string>; secrets: Record<string, string>; isKeyFile: boolean }

/**
 * Parses a key service: its name as in `LATCHKEY_KEY_ENCRYPTION`, a colon and the key.
 *
 * @throws `ARGUMENT_INVALID`.
 */
export function readKeyService(text: string, { readText }: Context): KeyService {
  const [, type = '', key = ''] = /^([\w-]+)(?::(.*))?$/s.exec(text) ?? []
  if (type === 'file')
    throw argumentInvalid(
      '--keys file is for development only, and production refuses it: take secret, vault:URL/KEY, aws-kms:ARN or gcp-kms:NAME.',
    )
  if (!Object.hasOwn(services, type))
    throw argumentInvalid('--keys must be secret, vault:URL/KEY, aws-kms:ARN or gcp-kms:NAME.')
  const { settings, secrets = {} } = services[type as keyof typeof services](key, readText)
  return { settings: { LATCHKEY_KEY_ENCRYPTION: type, ...settings }, secrets, isKeyFile: type === 'secret' }
}

type Found = { settings?: Record<string, string>; secrets?: Record<string, string> }
type Service = (key: string, readText: Context['readText']) => Found

/** Requires an entry for every key service except the key file of development mode. */
type Type = Exclude<z.output<typeof settings>['LATCHKEY_KEY_ENCRYPTION'], 'file'>

const services: Readonly<Record<Type, Service>> = {
  secret(key) {
    if (key !== '') throw argumentInvalid('--keys secret takes no value: the key is made and written to a file.')
    return {}
  },
  vault(key, readText) {
    const url = parseUrl(key)
    const name = url?.pathname.slice(1) ?? ''
    if (!url || !/^https?:$/.test(url.protocol) || !/^[\w.-]+$/.test(name))
      throw argumentInvalid(
        '--keys vault needs the URL and the name of a transit key: vault:https://vault.example:8200/KEY.',
      )
    const token = readText('LATCHKEY_VAULT_TOKEN')
    if (token === undefined)
      throw argumentInvalid('--keys vault needs a token: set LATCHKEY_VAULT_TOKEN or LATCHKEY_VAULT_TOKEN_FILE.')
    return {
      settings: { LATCHKEY_VAULT_URL: url.origin, LATCHKEY_VAULT_KEY: name },
      secrets: { LATCHKEY_VAULT_TOKEN: token },
    }
  },
  'aws-kms'(key) {
    const [, region = ''] = /^arn:aws[\w-]*:kms:([\w-]+):\d{12}:(?:key|alias)\/[\w/-]+$/.exec(key) ?? []
    if (region === '')
      throw argumentInvalid(
        '--keys aws-kms needs the ARN of a symmetric key: aws-kms:arn:aws:kms:REGION:ACCOUNT:key/ID.',
      )
    return { settings: { LATCHKEY_AWS_KMS_KEY: key, LATCHKEY_AWS_REGION: region } }
  },
  'gcp-kms'(key) {
    if (!/^projects\/[^/\s]+\/locations\/[^/\s]+\/keyRings\/[^/\s]+\/cryptoKeys\/[^/\s]+$/.test(key))
      throw argumentInvalid(
        '--keys gcp-kms needs the full name of a symmetric key: gcp-kms:projects/…/locations/…/keyRings/…/cryptoKeys/….',
      )
    return { settings: { LATCHKEY_GCP_KMS_KEY: key } }
  },
}
