import type { NextConfig } from 'next'

const config: NextConfig = {
  // Stops Next from looking for a workspace above this folder.
  turbopack: { root: import.meta.dirname },
}

export default config
