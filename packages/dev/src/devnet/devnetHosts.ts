import { DevError } from '../errors.ts'
import type { DevnetPorts, PortName } from './devnetPorts.ts'

/** Host names of the app's pages and of the frames in them. All resolve to this machine. */
export type DevnetHosts = {
  /** @default 'localhost' */
  wallet?: string | undefined
  /** @default 'localhost' */
  frames?: string | undefined
}

/** Hosts that belong to two different sites in every browser. */
export const crossSiteHosts = { wallet: 'app.localhost', frames: 'keys.localhost' } as const satisfies DevnetHosts

/** Hosts with the frames on a subdomain of the app's site, as recommended for production. */
export const sameSiteHosts = { wallet: 'app.localhost', frames: 'keys.app.localhost' } as const satisfies DevnetHosts

const names: Partial<Record<PortName, keyof DevnetHosts>> = {
  wallet: 'wallet',
  authFrame: 'frames',
  exportFrame: 'frames',
  importFrame: 'frames',
}

/** Returns the URL of a part by the name of its port. */
export type UrlAt = (name: PortName) => string

/** Returns the URLs of a devnet. Browsers resolve names under `localhost`, but Node may not. */
export function devnetUrls(ports: DevnetPorts, hosts: DevnetHosts = {}): UrlAt {
  for (const host of Object.values(hosts)) if (host !== undefined) checkHost(host)
  return (name) => {
    const kind = names[name]
    return `http://${(kind && hosts[kind]) ?? 'localhost'}:${ports[name]}`
  }
}

function checkHost(host: string): void {
  if (/^([a-z0-9]([a-z0-9-]*[a-z0-9])?[.])*localhost$/.test(host)) return
  throw new DevError(`${host} is not this machine: a host must be localhost or a name under it.`, {
    code: 'CONFIG_INVALID',
  })
}
