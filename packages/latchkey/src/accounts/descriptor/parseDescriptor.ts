import { type Address, getAddress, type Hex, isAddress, isHex, size } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { isOnCurve } from '../owners/passkeyPoint.ts'
import type { DescribedOwner, FirstOwner, SignedAccountDescriptor } from './accountDescriptor.ts'

type Fields = Record<string, unknown>

/** Parses the text of a signed descriptor, without its signature. @throws `ARGUMENT_INVALID`, `SIGNATURE_MISSING`. */
export function parseDescriptor(text: string): SignedAccountDescriptor {
  const fields = parseObject(text)
  const { signature } = fields
  const format = readFormat(fields)
  const chains = pick(fields, 'chains', areChains)
  const descriptor = {
    format,
    type: pick(fields, 'type', isText),
    version: pick(fields, 'version', isText),
    address: pick(fields, 'address', isOwn),
    ...(format === 'latchkey-account-1'
      ? { firstOwners: readList(fields, 'owners', readFirstOwner), owners: [] }
      : {
          firstOwners: readList(fields, 'firstOwners', readFirstOwner),
          owners: readList(fields, 'owners', readOwner),
        }),
    salt: pick(fields, 'salt', isSalt),
    factory: pick(fields, 'factory', isOwn),
    entryPoint: pick(fields, 'entryPoint', isOwn),
    chains,
    ...(fields.implementation !== undefined && { implementation: pick(fields, 'implementation', isOwn) }),
    ...(fields.assets !== undefined && { assets: pick(fields, 'assets', areAssets) }),
  }
  if (signature === undefined)
    throw new BaseError('The account descriptor is not signed.', {
      code: 'SIGNATURE_MISSING',
      metaMessages: [again],
    })
  return { ...descriptor, signature: pick(fields, 'signature', isBytes) }
}

function readFormat({ format }: Fields): SignedAccountDescriptor['format'] {
  if (format === 'latchkey-account-1' || format === 'latchkey-account-2') return format
  throw formatError(format)
}

/** Returns a field if it is valid. `path` is the place of `fields` in the descriptor. @throws `ARGUMENT_INVALID`. */
function pick<type>(fields: Fields, name: string, isValid: (value: unknown) => value is type, path = ''): type {
  const value = fields[name]
  if (isValid(value)) return value
  throw invalid(
    value === undefined
      ? `The account descriptor lacks \`${path}${name}\`.`
      : `The account descriptor has a wrong \`${path}${name}\`.`,
  )
}

function readList<type>(fields: Fields, name: string, read: (value: unknown, path: string) => type): type[] {
  return pick(fields, name, isList).map((value, index) => read(value, `${name}[${index}]`))
}

function readFirstOwner(value: unknown, path: string): FirstOwner {
  if (!isObject(value)) return pick({ [path]: value }, path, isOwn)
  const kind = pick(value, 'kind', isText, `${path}.`)
  if (kind !== 'passkey') throw kindError(kind, path)
  return { kind, ...readPoint(value, path), entityId: pick(value, 'entityId', isEntityId, `${path}.`) }
}

function readOwner(value: unknown, path: string): DescribedOwner {
  const owner = pick({ [path]: value }, path, isObject)
  const at = `${path}.`
  const kind = pick(owner, 'kind', isText, at)
  const entity = owner.entityId !== undefined && { entityId: pick(owner, 'entityId', isEntityId, at) }
  if (kind === 'key' || kind === 'contract') return { kind, address: pick(owner, 'address', isOwn, at), ...entity }
  if (kind !== 'passkey') throw kindError(kind, path)
  const { credentialId } = owner
  const passkey = {
    kind: 'passkey' as const,
    ...readPoint(owner, path),
    rpId: pick(owner, 'rpId', isDomain, at),
    ...(credentialId !== undefined && { credentialId: pick(owner, 'credentialId', isBase64url, at) }),
  }
  if (entity) return { ...passkey, ...entity }
  const verifiers = pick(owner, 'verifiers', areVerifiers, at)
  return { ...passkey, signer: pick(owner, 'signer', isOwn, at), verifiers }
}

function readPoint(owner: Fields, path: string): { x: Hex; y: Hex } {
  const point = { x: pick(owner, 'x', isWord, `${path}.`), y: pick(owner, 'y', isWord, `${path}.`) }
  if (isOnCurve({ x: BigInt(point.x), y: BigInt(point.y) })) return point
  throw invalid(`The public key of the passkey \`${path}\` is not a point on P-256.`)
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= 200
const isSalt = (value: unknown): value is string => isText(value) && /^\d{1,78}$/.test(value)
const areAssets = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length <= 200 && value.every(isText)
const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0 && value.length <= 100
const areChains = (value: unknown): value is number[] => isList(value) && value.every(Number.isSafeInteger)
const isEntityId = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32
/** A signature of a passkey has about 400 bytes. */
const isBytes = (value: unknown): value is Hex =>
  typeof value === 'string' && isHex(value) && value.length % 2 === 0 && size(value) <= 10_000
const isWord = (value: unknown): value is Hex => isText(value) && /^0x[0-9a-f]{64}$/.test(value)
const areVerifiers = (value: unknown): value is Hex => isText(value) && /^0x[0-9a-f]{44}$/.test(value)
const isDomain = (value: unknown): value is string =>
  isText(value) && /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/.test(value)
/** A credential id has up to 1023 bytes (WebAuthn Level 3, section 4). */
const isBase64url = (value: unknown): value is string => typeof value === 'string' && /^[\w-]{1,1364}$/.test(value)
/** Checks for an address in the form that this package writes. */
const isOwn = (value: unknown): value is Address => isText(value) && isAddress(value) && getAddress(value) === value

function parseObject(text: string): Fields {
  // Longer text is no descriptor. The user may have selected the wrong file.
  if (text.length > 100_000) throw invalid('This is too long for an account descriptor.')
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // The error below reports invalid JSON.
  }
  throw invalid('This is no JSON object, so no account descriptor.')
}

const again = 'Download it again, or make it again with the key of an owner.'

const invalid = (message: string) => new BaseError(message, { code: 'ARGUMENT_INVALID', metaMessages: [again] })

function formatError(format: unknown): BaseError {
  const isLater = typeof format === 'string' && /^latchkey-account-\d{1,9}$/.test(format)
  if (!isLater) return invalid('This is no account descriptor of the format latchkey-account-1 or latchkey-account-2.')
  return new BaseError(`This version does not read the format ${format}.`, {
    code: 'ARGUMENT_INVALID',
    metaMessages: ['Use the latest version of this program, or make the descriptor again with this one.'],
  })
}

function kindError(kind: string, path: string): BaseError {
  return new BaseError(`The owner \`${path}\` of the account descriptor has an unknown kind.`, {
    code: 'ARGUMENT_INVALID',
    metaMessages: [
      `Kind: ${kind.slice(0, 40)}`,
      'Known kinds are key, passkey and contract. Use the latest version of this program, or make the descriptor again.',
    ],
  })
}
