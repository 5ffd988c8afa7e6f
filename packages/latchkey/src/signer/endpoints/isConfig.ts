import type { PublicConfig } from '../../wire/signerApi.ts'

/** Whether a value read from the network or from storage is a server's public configuration. */
export function isConfig(value: unknown): value is PublicConfig {
  if (typeof value !== 'object' || value === null) return false
  const config = value as Partial<Record<keyof PublicConfig, unknown>>
  const urls = [config.custodyUrl, config.authFrameUrl, config.exportFrameUrl, config.importFrameUrl]
  return urls.every(isUrl) && typeof config.rootOrgId === 'string'
}

function isUrl(value: unknown): boolean {
  try {
    return typeof value === 'string' && /^https?:$/.test(new URL(value).protocol)
  } catch {
    return false
  }
}
