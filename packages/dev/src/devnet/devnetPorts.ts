import { DevError } from '../errors.ts'
import { isPortFree } from './freePorts.ts'

const offsets = {
  wallet: 0,
  signerApi: 1,
  custody: 2,
  gateway: 3,
  authFrame: 4,
  exportFrame: 5,
  console: 6,
  inbox: 7,
  smtp: 8,
  node: 9,
  bundler: 10,
  database: 11,
  importFrame: 12,
  admin: 13,
  provider: 14,
} as const

export type PortName = keyof typeof offsets
export type DevnetPorts = Record<PortName, number>

const purposes: Record<PortName, string> = {
  wallet: 'the example wallet',
  signerApi: 'the signer API',
  custody: 'the custody API',
  gateway: 'the gateway',
  authFrame: 'the auth frame',
  exportFrame: 'the export frame',
  console: 'the console',
  inbox: 'the inbox',
  smtp: 'the mail server',
  node: 'the chain node (anvil)',
  bundler: 'the bundler (Alto)',
  database: 'PostgreSQL',
  importFrame: 'the import frame',
  admin: 'the admin API',
  provider: 'the identity provider',
}

/** Number of consecutive ports of a devnet. */
export const portCount = Object.keys(offsets).length

/** Returns the ports of a devnet with the base port `base`. */
export function devnetPorts(base: number): DevnetPorts {
  if (!Number.isInteger(base) || base < 1024 || base + portCount > 65_536) {
    throw new DevError(`--port-base must be a whole number from 1024 to ${65_536 - portCount}.`, {
      code: 'CONFIG_INVALID',
    })
  }
  return Object.fromEntries(Object.entries(offsets).map(([name, offset]) => [name, base + offset])) as DevnetPorts
}

/**
 * Checks that the ports `names` are free.
 *
 * @throws `PORT_TAKEN` with every taken port and its purpose
 */
export async function checkPorts(ports: DevnetPorts, names: readonly PortName[]): Promise<void> {
  const free = await Promise.all(names.map((name) => isPortFree(ports[name])))
  const taken = names.filter((_, index) => !free[index])
  if (taken.length === 0) return
  const list = taken.map((name) => `Port ${ports[name]}, for ${purposes[name]}, is taken.`)
  throw new DevError(list.join('\n'), {
    code: 'PORT_TAKEN',
    hint: `Choose other ports with --port-base N, before the -- of a command (${portCount} in a row are used, now from ${ports.wallet}), or end what uses them, such as a devnet that runs already.`,
  })
}
