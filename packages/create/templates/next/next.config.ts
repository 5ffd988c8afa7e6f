import type { NextConfig } from 'next'

const config: NextConfig = {
  // Next need not look for a workspace above this folder.
  turbopack: { root: import.meta.dirname },
}

export default config
