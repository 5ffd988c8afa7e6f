import { createHash, randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { operatorRoles } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { parseKey } from '../platform/crypto/parseKey.ts'
import { configInvalid, ServerError } from '../platform/errors/ServerError.ts'
import { isEqualDigest, operatorMac } from '../store/operatorMac.ts'
import type { PasskeyOperator } from '../webauthn/findPasskeyOperator.ts'
import { verifyRegistration } from '../webauthn/verifyRegistration.ts'
import { changeJsonFile } from './changeJsonFile.ts'
import type { Call, Command, Outcome } from './command.ts'
import { createReader, type Environment } from './createReader.ts'
import { operatorsSchema, readOperatorsFile, readOperatorsPlace } from './operatorsFile.ts'
import { settings } from './settings.ts'

/** Manages console operators with passkeys: their invitations, and the file that custody and the admin API trust. */
export const passkeyOperatorCommands = {
  'operators invite': {
    takes: '--name NAME --role viewer|operator|admin | ID',
    does: 'print a link, valid for 24 hours, with which an operator creates a passkey at the console and gets a line for `operators accept`. With ID, the link adds a passkey to an existing console user',
    options: ['name', 'role'],
    operands: [0, 1],
    run: invite,
  },
  'operators accept': {
    takes: 'LINE',
    does: 'check the line that the console showed after an invitation, and add the passkey to LATCHKEY_OPERATORS_FILE',
    operands: [1, 1],
    run: accept,
  },
} as const satisfies Record<string, Command>

const inviteMs = 24 * 3_600_000
const invitation = z.strictObject({
  id: z.uuid(),
  name: z.string().trim().min(1).max(128),
  role: z.enum(operatorRoles),
  /** Milliseconds since the epoch. */
  until: z.int(),
})
type Invitation = z.output<typeof invitation>

function invite({ environment, operands, options }: Call): Outcome {
  const { path, consoleUrl } = readOperatorsPlace(environment)
  const [id] = operands
  const known = id === undefined ? undefined : find(path, id)
  const parsed = invitation.safeParse({
    id: known?.id ?? randomUUID(),
    name: known?.name ?? options.name,
    role: known?.role ?? options.role,
    until: Date.now() + inviteMs,
  })
  if (!parsed.success)
    throw configInvalid(`Give --name and --role, one of ${operatorRoles.join(', ')}; or the ID of a console user.`)
  // Allows a server to start with a file that does not list any operators yet.
  if (!existsSync(path)) writeOperators(path, () => ({ after: [], result: undefined }))
  const content = Buffer.from(JSON.stringify(parsed.data)).toString('base64url')
  const link = `${consoleUrl}/join#${content}.${invitationMac(readOperatorKey(environment), content)}`
  const text = `${link}\n\nFor ${parsed.data.name}, as ${parsed.data.role}: good for 24 hours, and for whoever has it. Then run \`operators accept\` with the line that they send back.`
  return { text, result: { link, ...parsed.data } }
}

function find(path: string, id: string): PasskeyOperator {
  const found = (existsSync(path) ? readOperatorsFile(path) : []).find((operator) => operator.id === id)
  if (found) return found
  throw configInvalid('There is no console user with this ID. `operators list` shows all.')
}

const reply = z.strictObject({
  invitation: z.string(),
  credentialId: z.string(),
  attestationObject: z.string(),
  clientDataJson: z.string(),
})

function accept({ environment, operands }: Call): Outcome {
  const { path, consoleUrl } = readOperatorsPlace(environment)
  const { invitation: invited, ...attestation } = readReply(operands[0] ?? '')
  const { id, name, role } = readInvitation(invited, readOperatorKey(environment))
  const { credentialId, publicKey } = verifyRegistration({
    challenge: createHash('sha256').update(invited).digest('base64url'),
    attestation,
    allowedOrigins: [consoleUrl],
    needsVerifiedUser: true,
  })
  const operator = writeOperators(path, (before) => {
    const known = before.find((one) => one.id === id)
    if (before.some(({ passkeys }) => passkeys.some((one) => one.credentialId === credentialId)))
      throw new ServerError('The file already contains this passkey.', { code: 'STATE_CONFLICT', status: 409 })
    const passkeys = [...(known?.passkeys ?? []), { credentialId, publicKey }]
    const result = { id, name: known?.name ?? name, role: known?.role ?? role, passkeys }
    const after = known ? before.map((one) => (one.id === id ? result : one)) : [...before, result]
    return { after, result }
  })
  const text = `${operator.name} signs in as ${operator.role}, by ${operator.passkeys.length} passkey(s): ${id}. Give all copies of admin and custody the file ${path}, and start them again.`
  return { text, result: { operator, path } }
}

function readReply(line: string): z.output<typeof reply> {
  try {
    return reply.parse(JSON.parse(Buffer.from(line.trim(), 'base64url').toString()))
  } catch (cause) {
    throw configInvalid('LINE is not valid. Copy the whole line that the console showed.', cause)
  }
}

/** Accepts only unexpired invitations that were made with this server's key. */
function readInvitation(text: string, key: Uint8Array): Invitation {
  const [content = '', mac = ''] = text.split('.')
  if (!isEqualDigest(Buffer.from(mac), Buffer.from(invitationMac(key, content))))
    throw configInvalid('The invitation was made with another LATCHKEY_OPERATOR_KEY. Send a new one.')
  const found = invitation.parse(JSON.parse(Buffer.from(content, 'base64url').toString()))
  if (found.until > Date.now()) return found
  throw configInvalid('The invitation has expired (24 hours). Send a new one.')
}

function invitationMac(key: Uint8Array, content: string): string {
  return Buffer.from(operatorMac(key, 'latchkey.operator-invitation.v1', [content])).toString('base64url')
}

function readOperatorKey(environment: Environment): Uint8Array {
  const reader = createReader(environment)
  const setting = settings.pick({ LATCHKEY_OPERATOR_KEY: true })
  return reader.settle(
    reader.read(setting, (values) => parseKey(values.LATCHKEY_OPERATOR_KEY, 'LATCHKEY_OPERATOR_KEY')),
  )
}

export function listPasskeyOperators(environment: Environment): readonly PasskeyOperator[] {
  const path = findOperatorsPath(environment)
  return path === undefined || !existsSync(path) ? [] : readOperatorsFile(path)
}

/** Removes an operator from the file. Returns undefined if the id is not in it. */
export function removePasskeyOperator(environment: Environment, id: string): PasskeyOperator | undefined {
  const path = findOperatorsPath(environment)
  if (path === undefined || !listPasskeyOperators(environment).some((one) => one.id === id)) return undefined
  return writeOperators(path, (before) => ({
    after: before.filter((one) => one.id !== id),
    result: before.find((one) => one.id === id),
  }))
}

type Change<result> = (before: readonly PasskeyOperator[]) => { after: readonly PasskeyOperator[]; result: result }

function writeOperators<result>(path: string, change: Change<result>): result {
  return changeJsonFile<readonly PasskeyOperator[], result>({
    path,
    read: readOperatorsFile,
    empty: [],
    change(before) {
      const changed = change(before)
      // Rejects content that would prevent a server from starting.
      operatorsSchema.parse(changed.after)
      return changed
    },
  })
}

function findOperatorsPath(environment: Environment): string | undefined {
  return environment.LATCHKEY_OPERATORS_FILE?.trim() || undefined
}
