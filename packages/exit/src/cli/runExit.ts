import { readFileSync } from 'node:fs'
import {
  type DescribedOwner,
  describeAccount,
  BaseError as LatchkeyError,
  readAccountDescriptor,
} from 'latchkey/accounts'
import { BaseError, isAddressEqual } from 'viem'
import { planMoves } from '../assets.ts'
import { connectChain } from '../connectChain.ts'
import { CommandError } from '../errors.ts'
import { makeAccount } from '../makeAccount.ts'
import { openAccount } from '../openAccount.ts'
import { prepareExit } from '../sendByItself.ts'
import { type ExitOptions, exitUsage, parseExitOptions } from './exitOptions.ts'
import { readSecret } from './readSecret.ts'
import { writePage } from './writePage.ts'

/**
 * Runs the command that moves assets out of an account, under the name that the user typed. Resolves to the exit code.
 */
export async function runExit(args: readonly string[], program: string): Promise<number> {
  const usage = exitUsage(program)
  const options = read(args, usage)
  if (!options) return 2
  if (options.help) {
    console.log(usage)
    return 0
  }
  try {
    await runCommand(options)
    return 0
  } catch (error) {
    // A node's error may contain its URL, which may contain a key, so only the short message is safe to print.
    const isExpected = error instanceof BaseError || error instanceof CommandError
    if (!isExpected) throw error
    console.error(error instanceof BaseError ? error.shortMessage : error.message)
    return 1
  }
}

function runCommand(options: ExitOptions): Promise<void> {
  if (options.command === 'page') return writePage(options)
  if (options.command === 'list') return list(options)
  return options.command === 'describe' ? describe(options) : move(options)
}

function read(args: readonly string[], usage: string): ExitOptions | undefined {
  try {
    return parseExitOptions(args)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    console.error(`${error.message}\n\n${usage}`)
    return undefined
  }
}

async function describe(options: ExitOptions & { command: 'describe' }): Promise<void> {
  const { type, version, salt, rpId } = options
  const owner = await readSecret(options.secretFile)
  const client = await connectChain(options.rpcUrl)
  const owners = [owner.address, ...options.owners]
  if (type === 'LightAccount' && new Set(owners).size > 1)
    throw new CommandError('A LightAccount has one owner: leave out --owner.', { code: 'CONFIG_INVALID' })
  const account = await makeAccount({ client, owner, type, version, owners, salt })
  const descriptor = await describeAccount({ account, rpId }).catch((cause: unknown) => {
    if (!(cause instanceof LatchkeyError)) throw cause
    const hint = cause.code === 'ARGUMENT_INVALID' ? 'Give the domain of its site with --rp-id.' : undefined
    throw new CommandError(cause.shortMessage, { code: cause.code, cause, hint })
  })
  console.log(JSON.stringify(descriptor, null, options.json ? 0 : 2))
}

async function list(options: ExitOptions & { command: 'list' }): Promise<void> {
  const { address, owners, firstOwners, format } = await readDescriptor(options.descriptor)
  if (options.json) return console.log(JSON.stringify({ account: address, owners, firstOwners }))
  console.log(`Account ${address}`)
  for (const owner of owners) console.log(nameOwner(owner))
  // Format 1 names only the owners of the creation.
  if (format === 'latchkey-account-1') for (const owner of firstOwners) console.log(`first owner ${String(owner)}`)
}

function nameOwner(owner: DescribedOwner): string {
  if (owner.kind !== 'passkey') return `${owner.kind} ${owner.address}`
  const attached = 'signer' in owner ? `signer contract ${owner.signer}` : `entity id ${owner.entityId}`
  return `passkey of ${owner.rpId}, ${attached}; signs on the page only (--page)`
}

async function move(options: ExitOptions & { command: 'move' }): Promise<void> {
  const { to, assets, dryRun, json } = options
  const descriptor = await readDescriptor(options.descriptor)
  if (isAddressEqual(to, descriptor.address))
    throw new CommandError('--to is the account itself.', { code: 'CONFIG_INVALID' })
  const { owners } = descriptor
  // Another key may own the account since, so a file with a key is tried.
  if (options.secretFile === undefined && owners.length > 0 && owners.every(({ kind }) => kind === 'passkey'))
    throw new CommandError('Only passkeys own this account, and a passkey signs in a browser only.', {
      code: 'PASSKEY_UNSUPPORTED',
      hint: passkeyHint(owners),
    })
  const owner = await readSecret(options.secretFile)
  const payer = options.gasKeyFile === undefined ? owner : await readSecret(options.gasKeyFile)
  const client = await connectChain(options.rpcUrl)
  const explain = (error: unknown) => Promise.reject(addPasskeyHint(error, owners))
  const account = await openAccount(client, descriptor, owner).catch(explain)
  const moves = await planMoves(client, { from: account.address, to, assets })
  const { send } = await prepareExit({ client, account, moves, payer }).catch(explain)
  const hash = dryRun ? undefined : await send()
  const moved = moves.map(({ asset, amount }) => ({ asset, amount: String(amount) }))
  if (json) {
    console.log(JSON.stringify({ account: account.address, to, moved, sent: hash !== undefined, transaction: hash }))
    return
  }
  const verb = hash === undefined ? 'Would move' : 'Moved'
  for (const { asset, amount } of moved) console.log(`${verb} ${amount} of ${asset} from ${account.address} to ${to}.`)
  if (hash !== undefined) console.log(`Transaction ${hash}`)
}

/** Adds to the refusal of a key that a passkey could sign elsewhere. */
function addPasskeyHint(error: unknown, owners: readonly DescribedOwner[]): unknown {
  const isRefused = error instanceof CommandError && error.code === 'OWNER_NOT_FOUND'
  if (!isRefused || !owners.some(({ kind }) => kind === 'passkey')) return error
  const hint = `A passkey owns the account, too. ${passkeyHint(owners)}`
  return new CommandError(error.message, { code: error.code, cause: error, hint })
}

/** Returns where a passkey signs. */
function passkeyHint(owners: readonly DescribedOwner[]): string {
  const sites = new Set(owners.flatMap((owner) => (owner.kind === 'passkey' ? owner.rpId : [])))
  const site = [...sites].join(' or ')
  return `Write the page with --page exit.html, put it on ${site}, and open it there.`
}

/** @throws `CONFIG_INVALID`, `SIGNATURE_MISSING`, `SIGNATURE_INVALID`. */
async function readDescriptor(path: string) {
  try {
    return await readAccountDescriptor(readFileSync(path, 'utf8'))
  } catch (cause) {
    if (!(cause instanceof LatchkeyError))
      throw new CommandError(`The descriptor ${path} cannot be read.`, { code: 'CONFIG_INVALID', cause })
    const hint = 'Create it again with --describe TYPE@VERSION, or download it again.'
    throw new CommandError(`${path}: ${cause.shortMessage}`, { code: cause.code, cause, hint })
  }
}
