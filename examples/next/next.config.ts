import type { NextConfig } from 'next'

const config: NextConfig = {
  // This folder has its own packages, so Next need not look for others above it.
  turbopack: { root: import.meta.dirname },
}

export default config
