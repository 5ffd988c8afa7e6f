import type { NextConfig } from 'next'

const config: NextConfig = {
  // This folder has packages of its own: Next need not look for others above it.
  turbopack: { root: import.meta.dirname },
}

export default config
