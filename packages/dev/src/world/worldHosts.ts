import { DevError } from '../errors.ts'
import type { PortName, WorldPorts } from './worldPorts.ts'

/** Host names of the pages people see, and of the frames in them. All are this machine. */
export type WorldHosts = {
  /** @default 'localhost' */
  wallet?: string | undefined
  /** @default 'localhost' */
  frames?: string | undefined
}

/** Two sites in every browser, as names under a public suffix are. */
export const crossSiteHosts = { wallet: 'app.localhost', frames: 'keys.localhost' } as const satisfies WorldHosts

/** A subdomain of the app's own site: what an app should do in production. */
export const sameSiteHosts = { wallet: 'app.localhost', frames: 'keys.app.localhost' } as const satisfies WorldHosts

const names: Partial<Record<PortName, keyof WorldHosts>> = {
  wallet: 'wallet',
  authFrame: 'frames',
  exportFrame: 'frames',
  importFrame: 'frames',
}

/** The URL of a part, by the name of its port. */
export type UrlAt = (name: PortName) => string

/** The URLs of a world. Browsers resolve names under `localhost`; Node need not. */
export function worldUrls(ports: WorldPorts, hosts: WorldHosts = {}): UrlAt {
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
