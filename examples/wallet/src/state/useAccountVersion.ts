import { useState } from 'react'

export const versions = ['v1.1.0', 'v2.0.0'] as const
export type Version = (typeof versions)[number]

const key = 'latchkey-wallet:version'

/** The version of the account in use, kept on this device. Each version has an address of its own. */
export function useAccountVersion(): [Version, (version: Version) => void] {
  const [version, setVersion] = useState(readVersion)
  const change = (next: Version) => {
    localStorage.setItem(key, next)
    setVersion(next)
  }
  return [version, change]
}

function readVersion(): Version {
  const kept = localStorage.getItem(key)
  return versions.find((version) => version === kept) ?? versions[0]
}
